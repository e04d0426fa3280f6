import type { Command } from 'commander';
import { type CliContext, withExistingStorage } from './context.ts';

/** Adds the commands `changes …`, which manage the change feed. */
export function addChangesCommand(group: Command, context: CliContext): void {
  group
    .command('restart')
    .description('expire all feed positions and entity tags; run it after restoring a backup')
    .action(() =>
      withExistingStorage(context, async ({ changes }) => {
        await changes.restart();
        context.print('Expired all feed positions and entity tags; clients start over.\n');
      }),
    );
}

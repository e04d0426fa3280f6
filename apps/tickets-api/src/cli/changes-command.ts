import type { Command } from 'commander';
import { type CliContext, withExistingStorage } from './context.ts';

/** `changes …`: the feed by which applications keep a copy. */
export function addChangesCommand(program: Command, context: CliContext): void {
  program
    .command('changes')
    .description('the feed that tells applications what changed')
    .command('restart')
    .description('after restoring a backup: expire all positions of the feed and all entity tags')
    .action(() =>
      withExistingStorage(context, async ({ changes }) => {
        await changes.restart();
        context.print('All positions and entity tags have expired: applications start over.\n');
      }),
    );
}

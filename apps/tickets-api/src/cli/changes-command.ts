import type { Command } from 'commander';
import { type CliContext, withExistingStorage } from './context.ts';

/** `changes …`: the feed by which applications keep a copy. */
export function addChangesCommand(program: Command, context: CliContext): void {
  program
    .command('changes')
    .description('the feed that tells applications what changed')
    .command('restart')
    .description('once a backup was restored: let all applications that follow the feed start over')
    .action(() =>
      withExistingStorage(context, async ({ changes }) => {
        await changes.restart();
        context.print('Every position that was given out has expired: applications start over.\n');
      }),
    );
}

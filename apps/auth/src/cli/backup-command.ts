import { backUpSqlite } from '@keydesk/storage/sqlite-backup';
import { requireDatabaseFile } from '@keydesk/storage/url';
import type { Command } from 'commander';
import { type CliContext, storageUrlOf } from './context.ts';

/** Adds the command `backup`, which copies the SQLite database while servers may run. */
export function addBackupCommand(program: Command, context: CliContext): void {
  program
    .command('backup')
    .description('copy the SQLite database to a file; servers can keep running')
    .argument('<file>', 'target file (must not exist)')
    .action(async (file: string) => {
      const bytes = await backUpSqlite(requireDatabaseFile(storageUrlOf(context.env)), file);
      context.print(`The database was copied to ${file} (${bytes} bytes).\n`);
    });
}

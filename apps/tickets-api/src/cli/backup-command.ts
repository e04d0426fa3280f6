import { backUpSqlite } from '@keydesk/storage/sqlite-backup';
import { requireDatabaseFile } from '@keydesk/storage/url';
import type { Command } from 'commander';
import { removeEpoch } from '../storage/sqlite/epoch.ts';
import { type CliContext, storageUrlOf } from './context.ts';

/** Adds the command `backup`, which copies the SQLite database even while servers run. */
export function addBackupCommand(program: Command, context: CliContext): void {
  program
    .command('backup')
    .description('copy the SQLite database to a file, even while servers run')
    .argument('<file>', 'target file (must not exist)')
    .action(async (file: string) => {
      const database = requireDatabaseFile(storageUrlOf(context.env));
      const bytes = await backUpSqlite(database, file, removeEpoch);
      context.print(`Copied the database to ${file} (${bytes} bytes).\n`);
    });
}

import { backUpSqlite } from '@keydesk/storage/sqlite-backup';
import { requireDatabaseFile } from '@keydesk/storage/url';
import type { Command } from 'commander';
import { removeEpoch } from '../storage/sqlite/epoch.ts';
import { type CliContext, storageUrlOf } from './context.ts';

/** `backup`: copies the SQLite database, whether or not servers run. */
export function addBackupCommand(program: Command, context: CliContext): void {
  program
    .command('backup')
    .description('copy the SQLite database into a file; servers may run')
    .argument('<file>', 'where to; there must be none yet')
    .action(async (file: string) => {
      const database = requireDatabaseFile(storageUrlOf(context.env));
      const bytes = await backUpSqlite(database, file, removeEpoch);
      context.print(`The database was copied to ${file} (${bytes} bytes).\n`);
    });
}

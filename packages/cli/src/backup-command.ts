import type { backUpSqlite } from '@keydesk/storage/sqlite-backup';
import { requireDatabaseFile } from '@keydesk/storage/url';
import type { Command } from 'commander';

export interface BackupCommandOptions {
  print: (text: string) => void;
  /** Returns the URL of the database. */
  findStorageUrl(): string | Promise<string>;
  /** Changes the copy before it gets its name; see `backUpSqlite`. */
  finish?: Parameters<typeof backUpSqlite>[2];
}

/** Adds the command `backup`, which copies the SQLite database even while servers run. */
export function addBackupCommand(program: Command, options: BackupCommandOptions): void {
  program
    .command('backup')
    .description('copy the SQLite database to a file; servers can keep running')
    .argument('<file>', 'target file (must not exist)')
    .action(async (file: string) => {
      const { backUpSqlite } = await import('@keydesk/storage/sqlite-backup');
      const database = requireDatabaseFile(await options.findStorageUrl());
      const bytes = await backUpSqlite(database, file, options.finish);
      options.print(`The database was copied to ${file} (${bytes} bytes).\n`);
    });
}

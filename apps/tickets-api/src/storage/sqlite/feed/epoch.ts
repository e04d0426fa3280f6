import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Sqlite } from '@keydesk/storage/sqlite';
import { restartFeeds } from './changes.ts';

/** Removes the epoch from a backup, so that every restoration gets a new one. */
export function removeEpoch(backup: DatabaseSync): void {
  backup.exec('UPDATE database_epoch SET epoch = NULL');
}

/**
 * Renews the epoch and restarts the feeds if the file is a restored copy: a backup, or a file with another inode.
 * Writes nothing otherwise, because a server must start on a full disk.
 */
export async function detectRestoredFile(sqlite: Sqlite, path: string): Promise<void> {
  const { prepare, read, write } = sqlite;
  const select = prepare('SELECT epoch, inode FROM database_epoch');
  const update = prepare('UPDATE database_epoch SET epoch = lower(hex(randomblob(5))), inode = ?');
  const inode = String(statSync(path, { bigint: true }).ino);
  const isCurrent = () => {
    const row = select.get();
    return row?.epoch !== null && row?.inode === inode;
  };
  if (read(isCurrent)) return;
  await write(() => {
    // Another process may have done it.
    if (isCurrent()) return;
    const isNew = select.get()?.inode === null;
    update.run(inode);
    if (!isNew) restartFeeds(sqlite);
  });
}

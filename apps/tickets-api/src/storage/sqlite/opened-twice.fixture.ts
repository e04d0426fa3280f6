import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite, type Sqlite } from '@keydesk/storage/sqlite';
import type { Storage } from '../../helpdesk/storage.ts';
import { schema } from './schema.ts';
import { openSqliteStorage } from './storage.ts';

/** An empty storage, and its file opened a second time, as by another process. */
export interface OpenedTwice {
  storage: Storage;
  sqlite: Sqlite;
  /** Closes both and removes the file. */
  close(): Promise<void>;
}

export async function openTwice(): Promise<OpenedTwice> {
  const folder = await mkdtemp(join(tmpdir(), 'keydesk-twice-'));
  const path = join(folder, 'tickets.db');
  const storage = await openSqliteStorage({ path });
  const sqlite = openSqlite({ path, ...schema });
  return {
    storage,
    sqlite,
    async close() {
      await sqlite.close();
      await storage.close();
      await rm(folder, { recursive: true });
    },
  };
}

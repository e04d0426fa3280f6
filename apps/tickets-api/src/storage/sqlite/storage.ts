import { openSqlite } from '@keydesk/storage/sqlite';
import { createSqliteLeases } from '@keydesk/storage/sqlite-leases';
import type { Storage } from '../../helpdesk/storage.ts';
import { createDefinitionStore } from './catalogues/definitions.ts';
import { createFieldStore } from './catalogues/fields.ts';
import { createRoleStore } from './catalogues/roles.ts';
import { createEventStore } from './commit/events.ts';
import { createChangeStore } from './feed/changes.ts';
import { detectRestoredFile } from './feed/epoch.ts';
import { createErasureStore } from './people/erasure.ts';
import { createPersonStore } from './people/people.ts';
import { schema } from './schema.ts';
import { createReplyStore } from './tickets/replies.ts';
import { createTagStore } from './tickets/tags.ts';
import { createTicketStore } from './tickets/tickets.ts';

export interface SqliteStorageOptions {
  path: string;
  isBulk?: boolean;
  /** Whether a missing file and missing steps of the schema are created. Default: true. */
  canMigrate?: boolean;
  now?: () => Date;
}

/**
 * Opens a SQLite file, which several processes may share.
 *
 * @throws {Error} with one readable message when the file cannot be used
 */
export async function openSqliteStorage(options: SqliteStorageOptions): Promise<Storage> {
  const { path, now = () => new Date() } = options;
  const sqlite = openSqlite({ ...options, ...schema });
  await detectRestoredFile(sqlite, path);
  const selectAny = sqlite.prepare('SELECT 1 FROM tickets LIMIT 1');
  return {
    tickets: createTicketStore(sqlite, { now }),
    replies: createReplyStore(sqlite),
    events: createEventStore(sqlite),
    changes: createChangeStore(sqlite),
    people: createPersonStore(sqlite),
    erasure: createErasureStore(sqlite),
    fields: createFieldStore(sqlite),
    definitions: createDefinitionStore(sqlite),
    roles: createRoleStore(sqlite),
    tags: createTagStore(sqlite),
    leases: createSqliteLeases(sqlite),
    ping: async () => void sqlite.read(() => selectAny.get()),
    close: sqlite.close,
  };
}

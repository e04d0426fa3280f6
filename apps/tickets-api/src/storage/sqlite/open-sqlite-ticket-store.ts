import type { StatementSync } from 'node:sqlite';
import { AppError } from '@keydesk/http';
import { openSqlite } from '@keydesk/storage/sqlite';
import { LRUCache } from 'lru-cache';
import type { Ticket } from '../../tickets/ticket.ts';
import type { TicketStore } from '../../tickets/ticket-store.ts';
import { createInsertOnce } from './insert-once.ts';
import { toListStatement } from './list-statement.ts';
import { migrations } from './migrations.ts';
import { createTicketReader } from './ticket-reader.ts';
import { createTicketWriter } from './ticket-writer.ts';

/** "KDTK", so that the file of another program is never taken for one of tickets. */
const APPLICATION_ID = 0x4b_44_54_4b;
const REMEMBERED_STATEMENTS = 200;

/**
 * Opens the tickets in a SQLite file that several processes may share.
 *
 * @throws {Error} with one readable message when the file cannot be used.
 */
export function openSqliteTicketStore({ path }: { path: string }): TicketStore {
  const sqlite = openSqlite({ path, migrations, applicationId: APPLICATION_ID });
  const { prepare, read, write } = sqlite;
  const readTicket = createTicketReader(sqlite);
  const tickets = createTicketWriter(sqlite);
  const insertOnce = createInsertOnce(sqlite);
  const selectById = prepare('SELECT seq, version FROM tickets WHERE id = ?');
  const selectAny = prepare('SELECT 1 FROM tickets LIMIT 1');
  const lists = new LRUCache<string, StatementSync>({ max: REMEMBERED_STATEMENTS });

  function prepareList(sql: string): StatementSync {
    const known = lists.get(sql);
    if (known) return known;
    const statement = prepare(sql);
    statement.setReturnArrays(true);
    lists.set(sql, statement);
    return statement;
  }

  function insertNew(ticket: Ticket): void {
    if (!tickets.insert(ticket)) throw new AppError('conflict', 'There is a ticket with this id already.');
  }

  return {
    insert: (ticket, request) =>
      write(() => {
        if (request) return insertOnce(request, ticket, () => insertNew(ticket));
        insertNew(ticket);
        return { outcome: 'inserted', resource: ticket };
      }),
    find: async (id) =>
      read(() => {
        const row = selectById.get(id);
        return row && readTicket(Number(row.seq), Number(row.version));
      }),
    replace: (ticket, expectedVersion) => write(() => tickets.replace(ticket, expectedVersion)),
    remove: (id, expectedVersion) => write(() => tickets.remove(id, expectedVersion)),
    list: async (query) =>
      read(() => {
        const { sql, values } = toListStatement(query);
        const rows = prepareList(sql).all(...values) as unknown as [seq: number, version: number][];
        return rows.map(([seq, version]) => readTicket(seq, version));
      }),
    ping: async () => void read(() => selectAny.get()),
    close: sqlite.close,
  };
}

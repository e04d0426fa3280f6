import type { StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sqlite } from '@keydesk/storage/sqlite';
import type { TicketStore } from '../../helpdesk/tickets/ticket-store.ts';
import { isServedByIndexes } from '../list-plan.ts';
import { createCommitOnce } from './commit-once.ts';
import { createCommitWriter } from './commit-writer.ts';
import { createListReader } from './list-reader.ts';
import { createTextReader } from './text-reader.ts';
import { createTicketReader } from './ticket-reader.ts';

const TEXTS_AT_ONCE = 50;

export function createTicketStore(sqlite: Sqlite, clock: { now: () => Date }): TicketStore {
  const { prepare, read } = sqlite;
  const readTicket = createTicketReader(sqlite);
  const texts = createTextReader(sqlite);
  const writeCommits = createCommitWriter(sqlite, clock);
  const commitOnce = createCommitOnce(sqlite);
  const selectById = prepare('SELECT seq, version FROM tickets WHERE id = ?');
  const selectByExternalId = prepare(`
    SELECT seq, version FROM tickets INDEXED BY tickets_by_external_id_client
    WHERE external_id_client = ? AND external_id = ?`);
  const selectByIds = prepareRows(`
    SELECT tickets.seq, tickets.version FROM json_each(?) AS wanted CROSS JOIN tickets ON tickets.id = wanted.value`);
  const due = {
    deleted: prepareRows(`
      SELECT seq, version FROM tickets INDEXED BY deleted_tickets_by_deleted_at
      WHERE deleted_at IS NOT NULL AND deleted_at < ? ORDER BY deleted_at, id LIMIT ?`),
    solved: prepareRows(`
      SELECT seq, version FROM tickets INDEXED BY solved_tickets_by_solved_at
      WHERE status_category = 'solved' AND deleted_at IS NULL AND solved_at < ? ORDER BY solved_at, id LIMIT ?`),
  };
  const lists = createListReader(sqlite, texts);

  function prepareRows(sql: string): StatementSync {
    const statement = prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  function readOne(statement: StatementSync, ...values: string[]) {
    return read(() => {
      const row = statement.get(...values);
      return row && readTicket(Number(row.seq), Number(row.version));
    });
  }

  function readAll(rows: readonly (readonly [seq: number, version: number])[]) {
    return rows.map(([seq, version]) => readTicket(seq, version));
  }

  function readRows(statement: StatementSync, ...values: (string | number)[]) {
    return readAll(statement.all(...values) as unknown as [seq: number, version: number][]);
  }

  return {
    commit: (commits, request) => commitOnce(request, () => writeCommits(commits)),
    find: async (id) => readOne(selectById, id),
    findByExternalId: async (clientId, externalId) => readOne(selectByExternalId, clientId, externalId),
    findAll: async (ids) => read(() => readRows(selectByIds, JSON.stringify([...new Set(ids)]))),
    list: async (query) => read(() => readAll(lists.select(query))),
    findStep: async (query, steps) =>
      isServedByIndexes(query) ? undefined : read(() => lists.findStep(query, steps)),
    count: async (query) => read(() => lists.count(query)),
    countBy: async (query, field) => read(() => lists.countBy(query, field)),
    async *listTexts(query) {
      const rows = read(() => lists.select(query));
      for (let i = 0; i < rows.length; i += TEXTS_AT_ONCE) {
        yield* read(() => texts.read(rows.slice(i, i + TEXTS_AT_ONCE)));
        // Yields, so that other requests do not wait for all texts.
        await nextTurn();
      }
    },
    listDue: async (what, before, limit) => read(() => readRows(due[what], before.getTime(), limit)),
  };
}

import type { StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sqlite } from '@keydesk/storage/sqlite';
import type { TicketStore } from '../../../helpdesk/tickets/ticket-store.ts';
import { isServedByIndexes } from '../../list-plan.ts';
import { createCommitOnce } from '../commit/commit-once.ts';
import { createListReader } from './list-reader.ts';
import { createTextReader } from './texts.ts';
import { createTicketReader } from './ticket-reader.ts';
import { createTicketWriter } from './ticket-writer.ts';

const TEXT_BATCH = 50;

export function createTicketStore(sqlite: Sqlite, { now }: { now: () => Date }): TicketStore {
  const { prepare, read, readOne } = sqlite;
  const tickets = createTicketReader(sqlite);
  const texts = createTextReader(sqlite);
  const writeCommits = createTicketWriter(sqlite, { now, forget: tickets.forget });
  const commitOnce = createCommitOnce(sqlite);
  const selectByExternalId = prepareRows(`
    SELECT seq FROM tickets INDEXED BY tickets_by_external_id_client
    WHERE external_id_client = ? AND external_id = ?`);
  const due = {
    deleted: prepareRows(`
      SELECT seq FROM tickets INDEXED BY deleted_tickets_by_deleted_at
      WHERE deleted_at IS NOT NULL AND deleted_at < ? ORDER BY deleted_at, id LIMIT ?`),
    solved: prepareRows(`
      SELECT seq FROM tickets INDEXED BY solved_tickets_by_solved_at
      WHERE status_category = 'solved' AND deleted_at IS NULL AND solved_at < ? ORDER BY solved_at, id LIMIT ?`),
  };
  const lists = createListReader(sqlite, texts);

  function prepareRows(sql: string): StatementSync {
    const statement = prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  function readRows(statement: StatementSync, ...values: (string | number)[]) {
    const rows = statement.all(...values) as unknown as [seq: number][];
    return tickets.readRows(rows.map(([seq]) => seq));
  }

  return {
    commit: (commits, request) => commitOnce(request, () => writeCommits(commits)),
    // Tickets read by id need no common snapshot: each is current.
    find: async (id) => readOne(() => tickets.find(id)),
    findByExternalId: async (clientId, externalId) =>
      read(() => readRows(selectByExternalId, clientId, externalId)[0]),
    findAll: async (ids) => readOne(() => tickets.findAll(new Set(ids))),
    list: async (query) => read(() => tickets.readRows(lists.select(query))),
    findStep: async (query, steps) =>
      isServedByIndexes(query) ? undefined : read(() => lists.findStep(query, steps)),
    count: async (query) => read(() => lists.count(query)),
    countBy: async (query, field) => read(() => lists.countBy(query, field)),
    async *listTexts(query) {
      const rows = read(() => lists.select(query));
      for (let i = 0; i < rows.length; i += TEXT_BATCH) {
        yield* read(() => texts.read(rows.slice(i, i + TEXT_BATCH)));
        // Yields, so that other requests do not wait for all texts.
        await nextTurn();
      }
    },
    listDue: async (what, before, limit) => read(() => readRows(due[what], before.getTime(), limit)),
  };
}

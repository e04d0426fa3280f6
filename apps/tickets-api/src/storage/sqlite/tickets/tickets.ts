import type { StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deepFreeze } from '@keydesk/storage/deep-freeze';
import type { Sqlite } from '@keydesk/storage/sqlite';
import { LRUCache } from 'lru-cache';
import type { TicketRecord } from '../../../helpdesk/commit/ticket-commit.ts';
import type { TicketStore } from '../../../helpdesk/tickets/ticket-store.ts';
import { isServedByIndexes } from '../../list-plan.ts';
import { createCommitOnce } from '../commit/commit-once.ts';
import { createListReader } from './list-reader.ts';
import { createTextReader } from './texts.ts';
import { createTicketWriter } from './ticket-writer.ts';

const TEXT_BATCH = 50;

export function createTicketStore(sqlite: Sqlite, clock: { now: () => Date }): TicketStore {
  const { prepare, read } = sqlite;
  const readTicket = createTicketReader(sqlite);
  const texts = createTextReader(sqlite);
  const writeCommits = createTicketWriter(sqlite, clock);
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
      for (let i = 0; i < rows.length; i += TEXT_BATCH) {
        yield* read(() => texts.read(rows.slice(i, i + TEXT_BATCH)));
        // Yields, so that other requests do not wait for all texts.
        await nextTurn();
      }
    },
    listDue: async (what, before, limit) => read(() => readRows(due[what], before.getTime(), limit)),
  };
}

const MAX_CACHED_TICKETS = 10_000;
const MAX_CACHED_CHARACTERS = 32 * 1024 * 1024;

interface TicketRow {
  document: string;
  public_version: number;
  public_updated_at: number;
  external_id_client: string | null;
  staff_ids: string | null;
}

/** Reads the record in row `seq`, which is at `version` in the current snapshot. */
type TicketReader = (seq: number, version: number) => TicketRecord;

/**
 * Creates a reader that caches parsed records. A cached record is only used for the version that the database has just
 * returned, so it is never older than the latest commit of any process.
 */
function createTicketReader({ prepare }: Sqlite): TicketReader {
  const select = prepare(
    'SELECT document, public_version, public_updated_at, external_id_client, staff_ids FROM tickets WHERE seq = ?',
  );
  const cache = new LRUCache<number, TicketRecord>({
    max: MAX_CACHED_TICKETS,
    maxSize: MAX_CACHED_CHARACTERS,
  });
  return (seq, version) => {
    const cached = cache.get(seq);
    if (cached?.ticket.version === version) return cached;
    const row = select.get(seq) as unknown as TicketRow;
    const record: TicketRecord = deepFreeze({
      ticket: JSON.parse(row.document),
      publicVersion: row.public_version,
      publicUpdatedAt: new Date(row.public_updated_at).toISOString(),
      ...(row.external_id_client !== null && { externalIdClient: row.external_id_client }),
      ...(row.staff_ids !== null && { staffIds: JSON.parse(row.staff_ids) }),
    });
    cache.set(seq, record, { size: row.document.length });
    return record;
  };
}

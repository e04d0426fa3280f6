import type { StatementSync } from 'node:sqlite';
import type { Sqlite } from '@keydesk/storage/sqlite';
import { LRUCache } from 'lru-cache';
import type { TicketStore } from '../../tickets/ticket-store.ts';
import { createAnswerOnce } from './answer-once.ts';
import { createCommitWriter, StaleVersion } from './commit-writer.ts';
import { toListStatement } from './list-statement.ts';
import { createTicketReader } from './ticket-reader.ts';

const REMEMBERED_STATEMENTS = 200;

export function createTicketStore(sqlite: Sqlite, clock: { now: () => Date }): TicketStore {
  const { prepare, read, write } = sqlite;
  const readTicket = createTicketReader(sqlite);
  const writeCommits = createCommitWriter(sqlite, clock);
  const answerOnce = createAnswerOnce(sqlite);
  const selectById = prepare('SELECT seq, version FROM tickets WHERE id = ?');
  const due = {
    deleted: prepareRows(`
      SELECT seq, version FROM tickets INDEXED BY deleted_tickets_by_deleted_at
      WHERE deleted_at IS NOT NULL AND deleted_at < ? ORDER BY deleted_at, id LIMIT ?`),
    solved: prepareRows(`
      SELECT seq, version FROM tickets INDEXED BY solved_tickets_by_solved_at
      WHERE status = 'solved' AND deleted_at IS NULL AND solved_at < ? ORDER BY solved_at, id LIMIT ?`),
  };
  const lists = new LRUCache<string, StatementSync>({ max: REMEMBERED_STATEMENTS });

  function prepareRows(sql: string): StatementSync {
    const statement = prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  function prepareList(sql: string): StatementSync {
    const known = lists.get(sql);
    if (known) return known;
    const statement = prepareRows(sql);
    lists.set(sql, statement);
    return statement;
  }

  function readAll(statement: StatementSync, values: readonly (string | number)[]) {
    const rows = statement.all(...values) as unknown as [seq: number, version: number][];
    return rows.map(([seq, version]) => readTicket(seq, version));
  }

  return {
    async commit(commits, request) {
      try {
        return await write(() => {
          if (request) return answerOnce(request, () => writeCommits(commits));
          writeCommits(commits);
          return { outcome: 'committed' };
        });
      } catch (err) {
        if (err instanceof StaleVersion) return { outcome: 'stale' };
        throw err;
      }
    },
    find: async (id) =>
      read(() => {
        const row = selectById.get(id);
        return row && readTicket(Number(row.seq), Number(row.version));
      }),
    list: async (query) =>
      read(() => {
        const { sql, values } = toListStatement(query);
        return readAll(prepareList(sql), values);
      }),
    listDue: async (what, before, limit) => read(() => readAll(due[what], [before.getTime(), limit])),
  };
}

import type { Sqlite } from '@keydesk/storage/sqlite';
import type { RequestRecord } from '../../idempotency.ts';
import type { CommitOutcome, RecordedRequest } from '../../tickets/ticket-commit.ts';
import { deepFreeze } from '../deep-freeze.ts';

/**
 * Calls `write`, which throws when it cannot be done, unless the record of the request tells that it was committed
 * before. For use inside one transaction: what is written and the record of its request are there together or not at
 * all.
 */
export type AnswerOnce = (request: RecordedRequest, write: () => void) => CommitOutcome;

/** More than the one that each request adds, so that the expired ones run out. */
const PURGED_AT_ONCE = 10;

export function createAnswerOnce({ prepare }: Sqlite): AnswerOnce {
  const select = prepare('SELECT fingerprint, answer FROM request_records WHERE key = ? AND expires_at > ?');
  const purge = prepare(`
    DELETE FROM request_records WHERE key IN (
      SELECT key FROM request_records WHERE expires_at <= ? ORDER BY expires_at LIMIT ${PURGED_AT_ONCE})`);
  const insert = prepare(`
    INSERT OR REPLACE INTO request_records (key, fingerprint, expires_at, answer, ticket_id) VALUES (?, ?, ?, ?, ?)`);

  function findFirst({ key, fingerprint, at }: RequestRecord): CommitOutcome | undefined {
    const first = select.get(key, at);
    if (!first) return undefined;
    if (first.fingerprint !== fingerprint) return { outcome: 'mismatch', key };
    return { outcome: 'replayed', answer: deepFreeze(JSON.parse(String(first.answer))) };
  }

  return ({ records, answer, ticketId }, write) => {
    for (const record of records) {
      const first = findFirst(record);
      if (first) return first;
    }
    write();
    for (const { key, fingerprint, at, expiresAt } of records) {
      purge.run(at);
      insert.run(key, fingerprint, expiresAt, JSON.stringify(answer), ticketId);
    }
    return { outcome: 'committed' };
  };
}

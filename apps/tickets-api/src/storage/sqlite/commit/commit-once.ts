import { deepFreeze } from '@keydesk/storage/deep-freeze';
import type { Sqlite } from '@keydesk/storage/sqlite';
import type { RequestRecord } from '../../../helpdesk/commit/idempotency.ts';
import type { CommitOutcome, RecordedRequest } from '../../../helpdesk/commit/ticket-commit.ts';
import type { AuditedWrite } from '../../../helpdesk/history/audited-write.ts';
import { createEventWriter } from './events.ts';

/** Rolls back the transaction: a version is not the expected one, or an external id is in use. */
export class StaleVersion extends Error {}

/**
 * Runs `write` and records the request in one transaction, unless it was recorded before. If `write` throws, nothing is
 * written.
 */
export type CommitOnce = (request: RecordedRequest | undefined, write: () => void) => Promise<CommitOutcome>;

/** Maximum number of expired records purged per new one; more than one, so that they run out. */
const PURGE_BATCH = 10;

export function createCommitOnce({ prepare, write: transact }: Sqlite): CommitOnce {
  const select = prepare('SELECT fingerprint, answer FROM request_records WHERE key = ? AND expires_at > ?');
  const purge = prepare(`
    DELETE FROM request_records WHERE key IN (
      SELECT key FROM request_records WHERE expires_at <= ? ORDER BY expires_at LIMIT ${PURGE_BATCH})`);
  const insert = prepare(`
    INSERT OR REPLACE INTO request_records (key, fingerprint, expires_at, answer, ticket_id) VALUES (?, ?, ?, ?, ?)`);

  function findFirst({ key, fingerprint, at }: RequestRecord): CommitOutcome | undefined {
    const first = select.get(key, at);
    if (!first) return undefined;
    if (first.fingerprint !== fingerprint) return { outcome: 'mismatch', key };
    return { outcome: 'replayed', answer: deepFreeze(JSON.parse(String(first.answer))) };
  }

  function writeOnce({ records, answer, ticketId }: RecordedRequest, write: () => void): CommitOutcome {
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
  }

  return async (request, write) => {
    try {
      return await transact(() => {
        if (request) return writeOnce(request, write);
        write();
        return { outcome: 'committed' };
      });
    } catch (err) {
      if (err instanceof StaleVersion) return { outcome: 'stale' };
      throw err;
    }
  };
}

/** Calls `write` in one transaction with the event and the records of the request, as `CommitOnce` does. */
export type CommitAudited = (audited: AuditedWrite | undefined, write: () => void) => Promise<CommitOutcome>;

export function createCommitAudited(sqlite: Sqlite): CommitAudited {
  const commitOnce = createCommitOnce(sqlite);
  const addEvents = createEventWriter(sqlite);
  return ({ event, request } = {}, write) =>
    commitOnce(request, () => {
      write();
      if (event) addEvents(null, [event]);
    });
}

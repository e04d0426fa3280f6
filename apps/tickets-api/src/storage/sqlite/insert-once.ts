import type { Sqlite } from '@keydesk/storage/sqlite';
import type { Insertion, RequestRecord } from '../../idempotency.ts';
import { deepFreeze } from '../deep-freeze.ts';

/**
 * Calls `insert`, which throws when it cannot be done, unless the record of the request tells that it was done before.
 * For use inside one transaction: the resource and the record of its request are there together or not at all.
 */
export type InsertOnce = <Resource>(
  request: RequestRecord,
  resource: Resource,
  insert: () => void,
) => Insertion<Resource>;

/** More than the one that each request adds, so that the expired ones run out. */
const PURGED_AT_ONCE = 10;

export function createInsertOnce({ prepare }: Sqlite): InsertOnce {
  const select = prepare(
    'SELECT fingerprint, resource FROM request_records WHERE key = ? AND expires_at > ?',
  );
  const purge = prepare(`
    DELETE FROM request_records WHERE key IN (
      SELECT key FROM request_records WHERE expires_at <= ? ORDER BY expires_at LIMIT ${PURGED_AT_ONCE})`);
  const record = prepare(
    'INSERT OR REPLACE INTO request_records (key, fingerprint, expires_at, resource) VALUES (?, ?, ?, ?)',
  );

  return ({ key, fingerprint, at, expiresAt }, resource, insert) => {
    const first = select.get(key, at);
    if (first?.fingerprint === fingerprint) {
      return { outcome: 'replayed', resource: deepFreeze(JSON.parse(String(first.resource))) };
    }
    if (first) return { outcome: 'mismatch' };
    insert();
    purge.run(at);
    record.run(key, fingerprint, expiresAt, JSON.stringify(resource));
    return { outcome: 'inserted', resource };
  };
}

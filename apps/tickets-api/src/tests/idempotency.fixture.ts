import { randomUUID } from 'node:crypto';
import type { RequestRecord } from '../helpdesk/commit/idempotency.ts';

/** Creates the record of a request that may be repeated for a day. */
export function newRequest(members: Partial<RequestRecord> = {}): RequestRecord {
  const at = members.at ?? Date.now();
  return { key: randomUUID(), fingerprint: 'a request', at, expiresAt: at + 86_400_000, ...members };
}

import { randomUUID } from 'node:crypto';
import { AppError } from '@keydesk/errors';
import type { RequestRecord } from '../helpdesk/commit/idempotency.ts';

/** Creates the record of a request that may be repeated for a day. */
export function newRequest(members: Partial<RequestRecord> = {}): RequestRecord {
  const at = members.at ?? Date.now();
  return { key: randomUUID(), fingerprint: 'a request', at, expiresAt: at + 86_400_000, ...members };
}

/** Repeats a request while the first one has no outcome yet, which a busy database may not reach within two seconds. */
export async function repeatWhileInFlight<Outcome>(send: () => Promise<Outcome>): Promise<Outcome> {
  for (;;) {
    try {
      return await send();
    } catch (err) {
      if (!(err instanceof AppError) || err.code !== 'conflict') throw err;
    }
  }
}

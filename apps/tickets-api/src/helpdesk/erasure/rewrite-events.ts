import { isDeepStrictEqual } from 'node:util';
import type { EventRecord } from '../history/audit-event.ts';
import type { Storage } from '../storage.ts';

const BATCH = 500;

/** Rewrites the events of a ticket; resolves with whether any was different. */
export async function rewriteEvents(
  { events, erasure }: Pick<Storage, 'events' | 'erasure'>,
  rewrite: (record: EventRecord) => EventRecord,
  ticketId: string,
): Promise<boolean> {
  const query = { ticketId, isPublicOnly: false, direction: 'asc', limit: BATCH } as const;
  let after: string | undefined;
  let hasChanged = false;
  for (;;) {
    const page = await events.list(after === undefined ? query : { ...query, after });
    const rewritten = page.map(rewrite).filter((event, i) => !isDeepStrictEqual(event, page[i]));
    if (rewritten.length > 0) await erasure.rewriteEvents(ticketId, rewritten);
    hasChanged ||= rewritten.length > 0;
    if (page.length < BATCH) return hasChanged;
    after = page.at(-1)?.event.id;
  }
}

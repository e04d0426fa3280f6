import type { AuditPage } from '../audit/audit-store.ts';
import { firstIdAt } from '../audit/record-id.ts';

/** Sorts after every id. */
const LAST_ID = 'g';

/** Returns the records of a page as one range of ids, which start with their time: `from` ≤ id < `to`. */
export function idRangeOf({ since, until, beforeId }: AuditPage): { from: string; to: string } {
  const ends = [until && firstIdAt(until), beforeId].filter((end) => end !== undefined);
  return { from: since ? firstIdAt(since) : '', to: ends.sort()[0] ?? LAST_ID };
}

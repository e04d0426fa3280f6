import type { ErasureStore, ErasureTarget } from './erasure-store.ts';

/** Number of tickets that a page of a scan examines. */
export const SCAN_SIZE = 500;

/**
 * Scans all tickets, deleted ones included, and yields batches of ids of tickets that contain an address or the id of a
 * person. It yields an empty batch after each page, so that a long scan lets the caller serve other requests or stop.
 */
export async function* scanTickets(
  erasure: Pick<ErasureStore, 'scan'>,
  needles: ErasureTarget,
  batchSize = SCAN_SIZE,
): AsyncIterable<readonly string[]> {
  let after: string | undefined = '';
  while (after !== undefined) {
    const scan = await erasure.scan(needles, { after, limit: SCAN_SIZE });
    for (let i = 0; i < scan.ticketIds.length; i += batchSize) yield scan.ticketIds.slice(i, i + batchSize);
    yield [];
    after = scan.last;
  }
}

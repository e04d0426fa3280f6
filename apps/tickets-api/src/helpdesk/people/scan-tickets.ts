import type { ErasureStore, ErasureTarget } from '../erasure/erasure-store.ts';

/** Number of tickets in a page of the scan. */
const SCANNED_AT_ONCE = 500;

/**
 * Looks at every ticket, deleted ones too, and yields those that contain an address or the id of a person, in batches. Empty
 * batches mark the pages: a look at very many tickets must not keep requests waiting, nor go on when it may not.
 */
export async function* scanTickets(
  erasure: Pick<ErasureStore, 'scan'>,
  needles: ErasureTarget,
  batchSize: number,
): AsyncIterable<readonly string[]> {
  let after: string | undefined = '';
  while (after !== undefined) {
    const scan = await erasure.scan(needles, { after, limit: SCANNED_AT_ONCE });
    for (let i = 0; i < scan.ticketIds.length; i += batchSize) yield scan.ticketIds.slice(i, i + batchSize);
    yield [];
    after = scan.last;
  }
}

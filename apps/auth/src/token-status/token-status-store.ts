/**
 * Reads and leases statuses of tokens. The status of a token is that of its `Grant`, which the `ArtifactStore` writes
 * and revokes, so a revocation is in this store as soon as it is durable. Shared by many processes; engine failures
 * reject with `AppError('unavailable')`.
 */
export interface TokenStatusStore {
  /**
   * Leases up to `STATUS_BLOCK` indexes to one caller: those of the next block that no stored grant has. After the
   * last block it starts over, so the result is empty if all grants of a block still exist.
   */
  lease(): Promise<readonly number[]>;
  /** Returns one more than the highest index that was ever leased. */
  countLeased(): Promise<number>;
  /** Returns the indexes of the grants that were revoked since an instant, unordered. One indexed read. */
  listRevoked(since: Date): Promise<readonly number[]>;
  /** Returns the indexes of the grants of a client that are not revoked, unordered. One indexed read. */
  listOfClient(clientId: string): Promise<readonly number[]>;
}

/** Size of a leased block. A process loses the rest of its block when it ends. */
export const STATUS_BLOCK = 256;
/** Number of indexes, the maximum of live grants. A list of them has 2 MiB before compression. */
export const MAX_STATUSES = 2 ** 24;

/** Returns the range of the block that is leased when `leased` indexes were leased before. */
export function blockAfter(leased: number): { first: number; last: number } {
  const first = leased % MAX_STATUSES;
  return { first, last: first + STATUS_BLOCK - 1 };
}

/** Returns the indexes of a block that are not taken. */
export function freeIndexes({ first }: { first: number }, taken: readonly number[]): readonly number[] {
  const isTaken = new Set(taken);
  const block = Array.from({ length: STATUS_BLOCK }, (_, i) => first + i);
  return isTaken.size === 0 ? block : block.filter((index) => !isTaken.has(index));
}

import { randomInt } from 'node:crypto';
import { AppError } from '@keydesk/server';
import type { TokenStatusStore } from './token-status-store.ts';

/** Allocates an index in the token status list that no other grant has. */
export type AllocateStatusIndex = () => Promise<number>;

/** Blocks that are leased in search of a free index. The status list is full if they have none. */
const MAX_LEASES = 100;

const allocations = new WeakMap<object, AllocateStatusIndex>();

/** Returns the allocation of this process on a store, so that all its parts share the leased block. */
export function statusIndexesOf(store: Pick<TokenStatusStore, 'lease'>): AllocateStatusIndex {
  const allocate = allocations.get(store) ?? createStatusIndexes(store);
  allocations.set(store, allocate);
  return allocate;
}

/**
 * Creates the allocation of a process, which leases blocks of indexes; a restart loses the rest of its block. It takes
 * them in random order, so that an index reveals no time (Token Status List §12.5).
 *
 * @throws {AppError} `unavailable` if the status list is full, or the store fails
 */
function createStatusIndexes(store: Pick<TokenStatusStore, 'lease'>): AllocateStatusIndex {
  const free: number[] = [];
  let leasing: Promise<void> | undefined;

  async function lease(): Promise<void> {
    for (let leases = 0; free.length === 0; leases += 1) {
      if (leases === MAX_LEASES) throw new AppError('unavailable', 'The token status list is full.');
      free.push(...(await store.lease()));
    }
  }

  return async function allocateStatusIndex() {
    for (;;) {
      const [index] = free.length > 0 ? free.splice(randomInt(free.length), 1) : [];
      if (index !== undefined) return index;
      leasing ??= lease().finally(() => {
        leasing = undefined;
      });
      await leasing;
    }
  };
}

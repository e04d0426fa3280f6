import { LRUCache } from 'lru-cache';
import { toArtifactKey } from '../artifacts/artifact-key.ts';
import type { Artifact, ArtifactStore } from '../artifacts/artifact-store.ts';
import type { AllocateStatusIndex } from './status-indexes.ts';

export interface MachineStatusesOptions {
  artifacts: Pick<ArtifactStore, 'find' | 'insertOnce' | 'upsert'>;
  allocate: AllocateStatusIndex;
  now: () => Date;
}

/**
 * Returns the index of a client's own tokens in the status list; `undefined` if everything that was issued to it is
 * revoked.
 */
export type FindMachineStatus = (clientId: string) => Promise<number | undefined>;

const DAY_MS = 86_400_000;
const LIFETIME_MS = 365 * DAY_MS;
/** Remaining lifetime below which a status is extended. */
const EXTENSION_MS = 30 * DAY_MS;
const MAX_CACHED = 10_000;
const CACHED_MS = 3_600_000;

/**
 * Creates the statuses of clients that act for themselves. They have the lifetime of a grant: one is stored per client,
 * when it is registered or at the latest at its first token, and revoked with the client. Tokens read it from memory,
 * so they need no write.
 */
export function createMachineStatuses({
  artifacts,
  allocate,
  now,
}: MachineStatusesOptions): FindMachineStatus {
  const perf = { now: () => now().getTime() };
  const known = new LRUCache<string, number>({ max: MAX_CACHED, ttl: CACHED_MS, ttlResolution: 0, perf });

  async function load(grant: Omit<Artifact, 'statusIndex'>): Promise<number | undefined> {
    const stored = await artifacts.find('Grant', grant.key, now());
    const { statusIndex, expiresAt } = stored ?? {};
    const isEnding = expiresAt !== undefined && expiresAt.getTime() - now().getTime() < EXTENSION_MS;
    if (statusIndex !== undefined && isEnding) await artifacts.upsert({ ...grant, statusIndex });
    return statusIndex;
  }

  async function loadOrAdd(clientId: string): Promise<number | undefined> {
    const grant = {
      model: 'Grant',
      key: toArtifactKey(`machine ${clientId}`),
      payload: new Uint8Array(),
      expiresAt: new Date(now().getTime() + LIFETIME_MS),
      clientId,
    };
    const stored = await load(grant);
    if (stored !== undefined) return stored;
    const statusIndex = await allocate();
    const isAdded = await artifacts.insertOnce({ ...grant, statusIndex }, now());
    return isAdded ? statusIndex : load(grant); // Another process was faster, or the client is removed.
  }

  return async function findMachineStatus(clientId) {
    const cached = known.get(clientId);
    if (cached !== undefined) return cached;
    const index = await loadOrAdd(clientId);
    if (index !== undefined) known.set(clientId, index);
    return index;
  };
}

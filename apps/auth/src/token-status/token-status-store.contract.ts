import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { after, artifact, later, now } from '../artifacts/artifact.fixture.ts';
import type { Artifact } from '../artifacts/artifact-store.ts';
import { type Engine, useStorage } from '../storage/engines.fixture.ts';
import type { StorageCall } from '../storage/other-process.fixture.ts';
import { STATUS_BLOCK } from './token-status-store.ts';

/** Contract of stores of token statuses. */
export function tokenStatusStoreContract(engine: Engine): void {
  describe('statuses of tokens (Token Status List §4.1)', () => {
    const storage = useStorage(engine);
    const statuses = () => storage.get().tokenStatuses;
    let nextIndex = 1_000_000;

    async function addGrant(members: Partial<Artifact> = {}) {
      nextIndex += 1;
      const statusIndex = nextIndex;
      const grant = artifact({ model: 'Grant', statusIndex, ...members });
      await storage.get().artifacts.upsert(grant);
      return { ...grant, statusIndex };
    }

    it('are leased to only one of many concurrent callers', async () => {
      const calls = Array.from({ length: 5 }, (): StorageCall => ['tokenStatuses', 'lease']);
      const leases = (await storage.raceInTwoProcesses(calls)).flat() as number[][];
      expect(leases.map(({ length }) => length)).toEqual(leases.map(() => STATUS_BLOCK));
      expect(new Set(leases.flat()).size).toBe(10 * STATUS_BLOCK);
      expect(await statuses().countLeased()).toBe(Math.max(...leases.flat()) + 1);
    });

    it('are not leased again while a grant has them', async () => {
      const taken = await addGrant({ statusIndex: (await statuses().countLeased()) + 3 });
      const leased = await statuses().lease();
      expect(leased).toHaveLength(STATUS_BLOCK - 1);
      expect(leased).not.toContain(taken.statusIndex);
    });

    it('are stored with the grant and kept by its next version', async () => {
      const grant = await addGrant();
      const find = () => storage.get().artifacts.find('Grant', grant.key, now);
      expect(await find()).toMatchObject({ statusIndex: grant.statusIndex });
      await storage.get().artifacts.upsert({ ...grant, payload: Buffer.from('next') });
      expect(await find()).toMatchObject({ statusIndex: grant.statusIndex });
    });

    it('are listed as revoked from the first revocation of a grant, account or client on', async () => {
      const { artifacts } = storage.get();
      const [accountId, clientId] = [randomUUID(), randomUUID()];
      const grants = [await addGrant(), await addGrant({ accountId }), await addGrant({ clientId })];
      const other = await addGrant({ accountId: randomUUID(), clientId: randomUUID() });
      await artifacts.revokeGrant(String(grants[0]?.key), now);
      await artifacts.revokeAccount(accountId, now);
      await artifacts.revokeClient(clientId, now);
      await artifacts.revokeGrant(String(grants[0]?.key), later);
      const indexes = grants.map(({ statusIndex }) => statusIndex);
      expect(await statuses().listRevoked(now)).toEqual(expect.arrayContaining(indexes));
      expect(await statuses().listRevoked(now)).not.toContain(other.statusIndex);
      expect(await statuses().listRevoked(after(1))).toEqual([]);
    });

    it('omit grants without an index', async () => {
      const grant = artifact({ model: 'Grant', clientId: randomUUID() });
      await storage.get().artifacts.upsert(grant);
      expect(await statuses().listOfClient(String(grant.clientId))).toEqual([]);
      await storage.get().artifacts.revokeGrant(grant.key, later);
      expect(await statuses().listRevoked(later)).toEqual([]);
    });

    it('are found by the client, without those of revoked grants', async () => {
      const clientId = randomUUID();
      const [kept, revoked] = [await addGrant({ clientId }), await addGrant({ clientId })];
      await storage.get().artifacts.upsert(artifact({ clientId }));
      await storage.get().artifacts.revokeGrant(revoked.key, now);
      expect(await statuses().listOfClient(clientId)).toEqual([kept.statusIndex]);
    });
  });
}

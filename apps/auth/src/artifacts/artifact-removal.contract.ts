import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Engine, useStorage } from '../storage/engines.fixture.ts';
import type { StorageCall } from '../storage/other-process.fixture.ts';
import { artifact, later, now } from './artifact.fixture.ts';
import type { Artifact } from './artifact-store.ts';

/** Contract of artifact stores for revocation and purge. */
export function artifactRemovalContract(engine: Engine): void {
  describe('revoking a grant (RFC 9700 §4.14.2: reuse of a refresh token ends its family)', () => {
    const storage = useStorage(engine);
    const artifacts = () => storage.get().artifacts;
    const grant = () => artifact({ model: 'Grant' });

    it('destroys everything issued under it, in several batches, and nothing else', async () => {
      const [revoked, other] = [grant(), grant()];
      const tokens = Array.from({ length: 250 }, () => artifact({ grantKey: revoked.key }));
      const bystander = artifact({ grantKey: other.key });
      await Promise.all([revoked, other, bystander, ...tokens].map((each) => artifacts().upsert(each)));
      await artifacts().revokeGrant(revoked.key, now);
      const found = await Promise.all(tokens.map(({ model, key }) => artifacts().find(model, key, now)));
      expect(found.filter((each) => each !== undefined)).toEqual([]);
      expect(await artifacts().find('Grant', revoked.key, now)).toBeUndefined();
      expect(await artifacts().find('Grant', other.key, now)).toBeDefined();
      expect(await artifacts().find(bystander.model, bystander.key, now)).toBeDefined();
    });

    it('rejects writing the grant again', async () => {
      const revoked = grant();
      await artifacts().upsert(revoked);
      await artifacts().revokeGrant(revoked.key, now);
      expect(await artifacts().upsert(revoked)).toBe(false);
      expect(await artifacts().find('Grant', revoked.key, now)).toBeUndefined();
    });

    it('wins against concurrent writes of the grant', async () => {
      const revoked = grant();
      await artifacts().upsert(revoked);
      const calls = Array.from(
        { length: 20 },
        (_, i): StorageCall =>
          i % 10 === 5 ? ['artifacts', 'revokeGrant', revoked.key, now] : ['artifacts', 'upsert', revoked],
      );
      await storage.raceInTwoProcesses(calls);
      expect(await artifacts().find('Grant', revoked.key, now)).toBeUndefined();
    });

    it('is idempotent and accepts an unknown grant', async () => {
      const revoked = grant();
      await artifacts().upsert(revoked);
      await artifacts().revokeGrant(revoked.key, now);
      await artifacts().revokeGrant(revoked.key, now);
      await artifacts().revokeGrant(randomUUID(), now);
      expect(await artifacts().find('Grant', revoked.key, now)).toBeUndefined();
    });

    it('keeps the grant when only the artifacts issued under it are destroyed', async () => {
      const kept = grant();
      const tokens = Array.from({ length: 3 }, () => artifact({ grantKey: kept.key }));
      await Promise.all([kept, ...tokens].map((each) => artifacts().upsert(each)));
      await artifacts().destroyByGrant(kept.key);
      const found = await Promise.all(tokens.map(({ model, key }) => artifacts().find(model, key, now)));
      expect(found).toEqual([undefined, undefined, undefined]);
      expect(await artifacts().find('Grant', kept.key, now)).toBeDefined();
    });
  });

  describe.each([
    ['an account', 'accountId', 'revokeAccount'],
    ['a client', 'clientId', 'revokeClient'],
  ] as const)('revoking %s', (_, owner, revoke) => {
    const storage = useStorage(engine);
    const artifacts = () => storage.get().artifacts;

    const find = ({ model, key }: Artifact) => artifacts().find(model, key, now);

    it('revokes its grants for good and destroys its other artifacts, but none of other owners', async () => {
      const [id, otherId] = [randomUUID(), randomUUID()];
      const grants = Array.from({ length: 110 }, () => artifact({ model: 'Grant', [owner]: id }));
      const [first] = grants;
      const many = Array.from({ length: 250 }, () => artifact({ [owner]: id, grantKey: first?.key }));
      const oneOfEach = grants.map(({ key }) => artifact({ [owner]: id, grantKey: key }));
      const owned = Array.from({ length: 110 }, () => artifact({ model: 'Session', [owner]: id }));
      const other = artifact({ model: 'Grant', [owner]: otherId });
      const others = [
        other,
        artifact({ [owner]: otherId, grantKey: other.key }),
        artifact({ [owner]: otherId }),
      ];
      const mine = [...grants, ...many, ...oneOfEach, ...owned];
      await Promise.all([...mine, ...others].map((each) => artifacts().upsert(each)));
      await artifacts()[revoke](id, now);
      expect((await Promise.all(mine.map(find))).filter(Boolean)).toEqual([]);
      expect((await Promise.all(others.map(find))).filter(Boolean)).toHaveLength(3);
      for (const grant of grants) expect(await artifacts().upsert(grant)).toBe(false);
    });

    it('can be repeated for artifacts written in between', async () => {
      const id = randomUUID();
      const [before, between] = [artifact({ model: 'Grant', [owner]: id }), artifact({ [owner]: id })];
      await artifacts().upsert(before);
      await artifacts()[revoke](id, now);
      await artifacts().upsert(between);
      await artifacts()[revoke](id, now);
      expect(await find(between)).toBeUndefined();
      expect(await artifacts().upsert(before)).toBe(false);
    });
  });

  describe('purging', () => {
    const storage = useStorage(engine);
    const artifacts = () => storage.get().artifacts;

    it('deletes expired artifacts up to the limit, and nothing else', async () => {
      const expired = Array.from({ length: 5 }, () => artifact({ expiresAt: now }));
      const live = [artifact(), artifact({ expiresAt: undefined })];
      await Promise.all([...expired, ...live].map((each) => artifacts().upsert(each)));
      expect(await artifacts().purgeExpired(now, 3)).toBe(3);
      expect(await artifacts().purgeExpired(now, 3)).toBe(2);
      expect(await artifacts().purgeExpired(now, 3)).toBe(0);
      const past = new Date(0);
      const left = await Promise.all(
        [...expired, ...live].map(({ model, key }) => artifacts().find(model, key, past)),
      );
      expect(left.map((each) => each?.key)).toEqual([
        ...Array(5).fill(undefined),
        live[0]?.key,
        live[1]?.key,
      ]);
    });

    it('deletes a revoked grant when it would have expired', async () => {
      const grant = artifact({ model: 'Grant' });
      await artifacts().upsert(grant);
      await artifacts().revokeGrant(grant.key, now);
      expect(await artifacts().purgeExpired(now, 10)).toBe(0);
      expect(await artifacts().purgeExpired(later, 10)).toBeGreaterThan(0);
    });

    it('deletes and counts each artifact once when two processes purge concurrently', async () => {
      await artifacts().purgeExpired(later, 1_000);
      const expired = Array.from({ length: 100 }, () => artifact({ expiresAt: now }));
      await Promise.all(expired.map((each) => artifacts().upsert(each)));
      const calls = Array.from({ length: 4 }, (): StorageCall => ['artifacts', 'purgeExpired', now, 30]);
      const counts = (await storage.raceInTwoProcesses(calls)).flat().map(Number);
      const rest = await artifacts().purgeExpired(now, 1_000);
      expect(counts.reduce((sum, count) => sum + count, rest)).toBe(100);
    });
  });
}

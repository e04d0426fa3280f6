import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { artifact, later, now } from './artifact.fixture.ts';
import { discardSealed } from './discard-sealed.ts';

onEveryEngine((engine) => {
  describe('discarding sealed data', () => {
    const storage = useStorage(engine);

    it('deletes the keys and every artifact, even those without expiry or under a revoked grant', async () => {
      const { artifacts, keys } = storage.get();
      const { revision } = await keys.load();
      const key = { kid: 'sealed', algorithm: 'ES256' as const, sealedJwk: Buffer.from('x'), createdAt: now };
      await keys.save([{ ...key, activeFrom: null }], revision);
      const session = artifact({ model: 'Session', expiresAt: later, accountId: 'somebody' });
      const lasting = { model: 'RegistrationAccessToken', payload: Buffer.from('x'), clientId: 'program' };
      const grant = artifact({ model: 'Grant', expiresAt: later });
      await artifacts.upsert(session);
      for (const id of ['a', 'b']) await artifacts.upsert({ ...lasting, key: id });
      await artifacts.upsert(grant);
      await artifacts.revokeGrant(grant.key, now);

      await discardSealed(storage.get());
      expect((await keys.load()).keys).toEqual([]);
      expect(await artifacts.findByModel('Session', now, 10)).toEqual([]);
      expect(await artifacts.findByModel('RegistrationAccessToken', now, 10)).toEqual([]);
      expect(await artifacts.upsert(grant)).toBe(true);
    });
  });
});

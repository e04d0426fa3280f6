import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSealer, deriveKey } from '../../keys/sealing.ts';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createAdapterFactory } from '../adapter.ts';
import { createAccountSessions } from './account-sessions.ts';
import { createLogOutNotifications } from './log-out-notifications.ts';

const sealer = createSealer(deriveKey('a-master-secret-of-some-length-0', 'tests'));
const TTL_SECONDS = 60;
const operator = { address: 'cli', actor: 'operator' };

onEveryEngine((engine) => {
  const storage = useStorage(engine);

  it('a session saved by an in-flight request after its account was signed out stays ended (CWE-613, OWASP ASVS 5.0 §7.4.2)', async () => {
    const { artifacts } = storage.get();
    const shared = { artifacts, sealer, now: () => new Date() };
    const notifications = createLogOutNotifications({ ...shared, newId: randomUUID });
    const sessions = createAccountSessions({ ...shared, notifications });
    const adapter = createAdapterFactory({ ...shared, findClient: async () => undefined })('Session');
    const [id, uid, accountId] = [randomUUID(), randomUUID(), randomUUID()];
    const save = () => adapter.upsert(id, { jti: id, uid, accountId }, TTL_SECONDS);

    await save();
    await sessions.endAll(accountId, operator);
    for (const _ of ['a request in flight', 'another one']) {
      await save();
      expect(await adapter.find(id)).toBeUndefined();
      expect(await adapter.findByUid(uid)).toBeUndefined();
      expect(await sessions.find(accountId)).toEqual([]);
    }
  });
});

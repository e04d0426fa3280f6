import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { createSealer, deriveKey } from '../../keys/sealing.ts';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createLogOutNotifications } from './log-out-notifications.ts';

const sealer = createSealer(deriveKey('a master secret', 'notifications'));
const notification = { accountId: 'a', clientId: 'c', sid: 's', actor: 'a', address: null, requestId: null };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const notificationsOf = (artifacts: ArtifactStore) =>
    createLogOutNotifications({ artifacts, sealer, now: () => new Date(), newId: randomUUID });

  it('a notification that another process ends between find and claim is not claimed again', async () => {
    const { artifacts } = storage.get();
    const other = notificationsOf(artifacts);
    const findByModel: ArtifactStore['findByModel'] = async (...query) => {
      const found = await artifacts.findByModel(...query);
      for (const { key } of await other.claim()) await other.end(key);
      return found;
    };
    await other.add([notification]);
    expect(await notificationsOf({ ...artifacts, findByModel: findByModel }).claim()).toEqual([]);
    await other.add([notification]);
    expect(await other.claim()).toMatchObject([{ notification }]);
  });
});

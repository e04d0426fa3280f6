import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Engine, useStorage } from '../storage/engines.fixture.ts';
import type { StorageCall } from '../storage/other-process.fixture.ts';
import { client, later, latest, now, secret } from './client.fixture.ts';

/** Contract suite of client stores: times of use of secrets. */
export function secretUseContract(engine: Engine): void {
  describe('recording the use of a secret', () => {
    const storage = useStorage(engine);
    const clients = () => storage.get().clients;

    async function insertOne() {
      const [used, other] = [secret(), secret({ lastUsedAt: now })];
      const inserted = client({ secrets: [used, other] });
      await clients().insert(inserted);
      const lastUses = async () =>
        (await clients().find(inserted.id))?.secrets.map((each) => each.lastUsedAt);
      return { inserted, used, other, lastUses };
    }

    it('records it only for that secret', async () => {
      const { inserted, used, lastUses } = await insertOne();
      await clients().recordSecretUse(inserted.id, used.id, later);
      expect(await lastUses()).toEqual([later, now]);
    });

    it('never replaces a later time with an earlier one', async () => {
      const { inserted, used, lastUses } = await insertOne();
      await clients().recordSecretUse(inserted.id, used.id, latest);
      await clients().recordSecretUse(inserted.id, used.id, later);
      expect(await lastUses()).toEqual([latest, now]);
    });

    it('stores the latest of many uses that two processes record concurrently', async () => {
      const { inserted, used, lastUses } = await insertOne();
      const times = Array.from({ length: 20 }, (_, i) => new Date(now.getTime() + ((i * 7) % 20) * 1_000));
      const calls = times.map((at): StorageCall => ['clients', 'recordSecretUse', inserted.id, used.id, at]);
      await storage.raceInTwoProcesses(calls);
      expect(await lastUses()).toEqual([new Date(now.getTime() + 19_000), now]);
    });

    it('does not change the version of the client', async () => {
      const { inserted, used } = await insertOne();
      await clients().recordSecretUse(inserted.id, used.id, later);
      expect(await clients().find(inserted.id)).toMatchObject({ version: inserted.version });
      expect(await clients().replace({ ...inserted, version: 2 }, 1)).toBe(true);
    });

    it('is not undone by a change of a client that was read before', async () => {
      const { inserted, used, lastUses } = await insertOne();
      await clients().recordSecretUse(inserted.id, used.id, later);
      await clients().replace({ ...inserted, name: 'renamed', version: 2 }, 1);
      expect(await lastUses()).toEqual([later, now]);
    });

    it('is not undone by a concurrent change in another process', async () => {
      const all = await Promise.all(Array.from({ length: 10 }, insertOne));
      const calls = all.flatMap(({ inserted, used }): StorageCall[] => [
        ['clients', 'replace', { ...inserted, version: 2 }, 1],
        ['clients', 'recordSecretUse', inserted.id, used.id, later],
      ]);
      await storage.raceInTwoProcesses(calls);
      for (const { lastUses } of all) expect(await lastUses()).toEqual([later, now]);
    });

    it('does nothing for an unknown client or secret', async () => {
      const { inserted, used, lastUses } = await insertOne();
      await clients().recordSecretUse(inserted.id, randomUUID(), later);
      await clients().recordSecretUse(randomUUID(), used.id, later);
      expect(await lastUses()).toEqual([null, now]);
    });
  });
}

import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Engine, useStorage } from '../storage/engines.fixture.ts';
import type { StorageCall } from '../storage/other-process.fixture.ts';
import type { KeyStore, StoredKey } from './key-store.ts';

const now = new Date('2026-03-01T12:00:00.123Z');

function key(members: Partial<StoredKey> = {}): StoredKey {
  const sealedJwk = randomBytes(300);
  return { kid: randomUUID(), algorithm: 'ES256', sealedJwk, createdAt: now, activeFrom: null, ...members };
}

/** Contract of key stores. */
export function keyStoreContract(engine: Engine): void {
  describe('a key store', () => {
    const storage = useStorage(engine);
    const load = async ({ keys: store }: { keys: KeyStore } = storage.get()) => {
      const { revision, keys } = await store.load();
      return { revision, keys: keys.map((each) => ({ ...each, sealedJwk: Buffer.from(each.sealedJwk) })) };
    };
    const save = (keys: readonly StoredKey[], revision: number) => storage.get().keys.save(keys, revision);

    it('starts with an empty set of revision 0', async () => {
      expect(await load()).toEqual({ revision: 0, keys: [] });
    });

    it('saves the first set for exactly one of several concurrent callers in two processes', async () => {
      const calls = Array.from({ length: 5 }, (): StorageCall => ['keys', 'save', [key()], 0]);
      const results = await storage.raceInTwoProcesses(calls);
      expect(results.flat().filter((result) => result === true)).toHaveLength(1);
      expect((await load()).revision).toBe(1);
    });

    it('returns every member of every key, in order, even after reopening', async () => {
      const keys = [key({ activeFrom: now }), key({ algorithm: 'RS256' }), key()];
      const { revision } = await load();
      expect(await save(keys, revision)).toBe(true);
      expect(await load()).toStrictEqual({ revision: revision + 1, keys });
      expect(await load(await storage.openAnother())).toStrictEqual({ revision: revision + 1, keys });
    });

    it('rejects a set based on another revision', async () => {
      const before = await load();
      expect(await save([key()], before.revision - 1)).toBe(false);
      expect(await save([key()], before.revision + 1)).toBe(false);
      expect(await load()).toStrictEqual(before);
    });

    it('saves for exactly one of ten concurrent callers and stores its set', async () => {
      const { revision } = await load();
      const sets = Array.from({ length: 10 }, () => [key()]);
      const results = await Promise.all(sets.map((keys) => save(keys, revision)));
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(await load()).toStrictEqual({ revision: revision + 1, keys: sets[results.indexOf(true)] });
    });
  });
}

import { pbkdf2, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createLogger } from '@keydesk/server';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../storage/open-storage.ts';
import { createJwsSigner } from './jws-signer.ts';
import { createKeyRing, type KeyRing } from './key-ring.ts';
import { type KeyTimings, rotateKeys } from './key-schedule.ts';
import type { KeyStore } from './key-store.ts';
import { createSealer, deriveKey } from './sealing.ts';
import { createSigningKey, openSigningKey } from './signing-key.ts';

const log = createLogger({ name: 'test', level: 'silent', isPretty: false });
const timings: KeyTimings = {
  publicationLeadMs: 1_000,
  takeOverLeadMs: 100,
  retentionMs: 500,
  rotationMs: 0,
};
const sealerOf = (secret: string) => createSealer(deriveKey(secret, 'signing keys'));

/** Opens two key rings on one database, with one clock that the test controls. */
async function startRings() {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'));
  const url = `sqlite:${join(folder, 'auth.db')}`;
  const storages = [await openStorage({ url }), await openStorage({ url })] as const;
  onTestFinished(async () => {
    for (const storage of storages) await storage.close();
    rmSync(folder, { recursive: true });
  });
  const time = { now: 0 };
  const withStore = (store: KeyStore, secret = 'one') =>
    createKeyRing({
      store,
      sealer: sealerOf(secret),
      algorithms: ['ES256'],
      timings,
      now: () => new Date(time.now),
      log,
    });
  const ringOn = (storage: (typeof storages)[number], secret?: string) => withStore(storage.keys, secret);
  const [store] = storages.map(({ keys }) => keys);
  if (!store) throw new Error('unreachable');
  return {
    time,
    store,
    withStore,
    rings: [ringOn(storages[0]), ringOn(storages[1])] as const,
    otherSecret: ringOn(storages[0], 'two'),
    async rotate() {
      const { keys, revision } = await store.load();
      await store.save(rotateKeys(keys, new Date(time.now), timings), revision);
    },
  };
}

const kidsOf = (ring: KeyRing) => ring.keys().map(({ kid }) => kid);

describe('a key set that cannot be written', () => {
  it('stays in use while a rotation is due, and is rotated later', async () => {
    const { time, store, rings, withStore } = await startRings();
    await rings[0].refresh();
    const full = withStore({ ...store, save: () => Promise.reject(new Error('no room')) });
    await rings[0].refresh();
    time.now = timings.publicationLeadMs + timings.takeOverLeadMs + 1;
    const { revision } = await store.load();
    await full.refresh();
    expect(kidsOf(full)).toEqual(kidsOf(rings[0]));
    expect(full.isStale()).toBe(false);
    expect((await store.load()).revision).toBe(revision);
  });

  it('prevents signing at the first start', async () => {
    const { store, withStore } = await startRings();
    const full = withStore({ ...store, save: () => Promise.reject(new Error('no room')) });
    await expect(full.refresh()).rejects.toThrow('no room');
  });
});

describe('the signing keys of two processes on one database', () => {
  it('are the same from the first start on, whichever process starts first', async () => {
    const { rings, store } = await startRings();
    await Promise.all(rings.map((ring) => ring.refresh()));
    await Promise.all(rings.map((ring) => ring.refresh()));
    const [one, two] = rings.map(kidsOf);
    expect(one).toEqual(two);
    expect(one).toHaveLength(2);
    expect((await store.load()).keys).toHaveLength(2);
  });

  it('are stored sealed', async () => {
    const { rings, store } = await startRings();
    await rings[0].refresh();
    const { keys } = await store.load();
    const privateParts = rings[0]
      .keys()
      .map(({ privateKey }) => String(privateKey.export({ format: 'jwk' }).d));
    for (const { sealedJwk } of keys)
      for (const part of privateParts) expect(Buffer.from(sealedJwk).includes(part)).toBe(false);
  });

  it('are rejected by a process with another master secret, which writes nothing', async () => {
    const { rings, store, otherSecret, time, rotate } = await startRings();
    await rings[0].refresh();
    await rotate();
    const before = await store.load();
    // By now one key is due for removal and another for creation.
    time.now = 1_000_000;
    await expect(otherSecret.refresh()).rejects.toThrow('The master secret does not match');
    expect(await store.load()).toEqual(before);
  });

  it('change without restart: refresh returns true and the current key comes first', async () => {
    const { rings, rotate, time } = await startRings();
    const [ring] = rings;
    expect(await ring.refresh()).toBe(true);
    expect(await ring.refresh()).toBe(false);
    const [first, second] = kidsOf(ring);
    time.now = 2_000;
    await rotate();
    expect(await ring.refresh()).toBe(true);
    expect(kidsOf(ring).slice(0, 2)).toEqual([first, second]);
    time.now = 2_100;
    expect(await ring.refresh()).toBe(true);
    expect(kidsOf(ring)[0]).toBe(second);
    expect(kidsOf(ring)).toContain(first);
    time.now = 2_600;
    expect(await ring.refresh()).toBe(true);
    expect(kidsOf(ring)).not.toContain(first);
  });

  it('are stale when a rotation may have been missed', async () => {
    const { rings, time } = await startRings();
    const [ring] = rings;
    expect(ring.isStale()).toBe(true);
    await ring.refresh();
    time.now = 100;
    expect(ring.isStale()).toBe(false);
    time.now = 101;
    expect(ring.isStale()).toBe(true);
  });

  it('never fail a verifier at any interleaving: keys are published in time and tokens verify until they expire', async () => {
    const step = fc.record({
      afterMs: fc.integer({ min: 0, max: 90 }),
      action: fc.constantFrom('first refreshes', 'second refreshes', 'rotate'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 120 }), async (steps) => {
        const processes = await startRings();
        const { rings, rotate, time } = processes;
        await Promise.all(rings.map((ring) => ring.refresh()));
        const watch = createWatch(processes);
        for (const { afterMs, action } of steps) {
          time.now += afterMs;
          if (action === 'rotate') await rotate();
          else await rings[action === 'first refreshes' ? 0 : 1].refresh();
          await watch();
        }
      }),
      { numRuns: 25 },
    );
  });
});

/** Creates a check that signs a token with each process and verifies all live tokens against each published key set. */
function createWatch({ rings, store, time }: Awaited<ReturnType<typeof startRings>>) {
  const tokenLifeMs = timings.retentionMs - 2 * timings.takeOverLeadMs;
  const firstKids = new Set(kidsOf(rings[0]));
  const createdAt = new Map<string, number>();
  let tokens: { kid: string; diesAt: number }[] = [];

  return async () => {
    for (const key of (await store.load()).keys) createdAt.set(key.kid, key.createdAt.getTime());
    const active = rings.filter((ring) => !ring.isStale());
    const signing = active.map((ring) => kidsOf(ring)[0] ?? '');
    for (const kid of signing.filter((each) => !firstKids.has(each)))
      expect(time.now - (createdAt.get(kid) ?? 0)).toBeGreaterThanOrEqual(timings.publicationLeadMs);
    tokens.push(...signing.map((kid) => ({ kid, diesAt: time.now + tokenLifeMs })));
    tokens = tokens.filter(({ diesAt }) => diesAt > time.now);
    const needed = [...new Set(tokens.map(({ kid }) => kid))];
    for (const ring of active) expect(kidsOf(ring)).toEqual(expect.arrayContaining(needed));
  };
}

describe('a signature (RFC 7518 §3.3, §3.4)', () => {
  it.each([
    ['ES256', 600],
    ['RS256', 1],
  ] as const)('with %s is accepted by any verifier, also with short integers', async (algorithm, times) => {
    const sealer = sealerOf('one');
    const stored = await createSigningKey({ algorithm, activeFrom: null }, { sealer, now: new Date() });
    const key = openSigningKey(stored, sealer);
    const signJws = createJwsSigner(key);
    for (let i = 0; i < times; i += 1) {
      const data = Buffer.from(`data ${i}`);
      const signature = await signJws(data);
      const options = { key: key.publicKey, dsaEncoding: 'ieee-p1363' } as const;
      expect(verify('sha256', data, options, signature)).toBe(true);
    }
  });

  it('with ES256 does not wait behind password hashes in the thread pool', async () => {
    const sealer = sealerOf('one');
    const stored = await createSigningKey(
      { algorithm: 'ES256', activeFrom: null },
      { sealer, now: new Date() },
    );
    const signJws = createJwsSigner(openSigningKey(stored, sealer));
    const settled: string[] = [];
    const hash = () => promisify(pbkdf2)('secret', 'salt', 100_000, 32, 'sha256');
    const hashes = Array.from({ length: 16 }, () => hash().then(() => settled.push('hash')));
    await signJws(Buffer.from('data')).then(() => settled.push('signature'));
    expect(settled).toEqual(['signature']);
    await Promise.all(hashes);
  });
});

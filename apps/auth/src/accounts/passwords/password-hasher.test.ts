import { generateKeyPairSync, webcrypto } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { costRatio } from './cost.fixture.ts';
import { createPasswordHasher, defaultConcurrency } from './password-hasher.ts';

const LIBUV_THREADS = 4;
const cheap = { memoryKib: 64, passes: 1, parallelism: 1 };

describe('a password hasher', () => {
  const hasher = createPasswordHasher({ concurrency: 1, maxWaiting: 10, parameters: cheap });

  it('verifies a password', async () => {
    const hash = await hasher.hash('correct horse');
    expect(await hasher.verify('correct horse', hash)).toBe(true);
    expect(await hasher.verify('correct hors', hash)).toBe(false);
  });

  it('accepts a password however a keyboard composes its characters (NIST SP 800-63B §5.1.1.2)', async () => {
    const hash = await hasher.hash('Zürich ﬁle Å');
    expect(await hasher.verify('Zu\u0308rich file A\u030A', hash)).toBe(true);
  });

  it('accepts no password without a hash', async () => {
    expect(await hasher.verify('', null)).toBe(false);
    expect(await hasher.verify('correct horse', null)).toBe(false);
  });

  it('detects hashes with other cost parameters', async () => {
    const costlier = createPasswordHasher({
      concurrency: 1,
      maxWaiting: 10,
      parameters: { ...cheap, passes: 2 },
    });
    const hash = await hasher.hash('correct horse');
    expect(hasher.isOutdated(hash)).toBe(false);
    expect(costlier.isOutdated(hash)).toBe(true);
    expect(await costlier.verify('correct horse', hash)).toBe(true);
  });

  it.each([
    { threads: 4, cores: 1, concurrency: 1 },
    { threads: 4, cores: 2, concurrency: 1 },
    { threads: 4, cores: 4, concurrency: 3 },
    { threads: 4, cores: 64, concurrency: 3 },
    { threads: 32, cores: 16, concurrency: 15 },
    { threads: 1, cores: 8, concurrency: 1 },
  ])(
    'computes $concurrency at once with $threads threads on $cores cores',
    ({ threads, cores, concurrency }) => {
      expect(defaultConcurrency(threads, cores)).toBe(concurrency);
    },
  );
});

describe('an account that does not exist (OWASP ASVS 5.0 §6.3.8)', () => {
  it('costs as much work as one that does', async () => {
    const hasher = createPasswordHasher({ concurrency: 1, maxWaiting: 100 });
    const hash = await hasher.hash('correct horse');
    const check = (against: string | null) => () => hasher.verify('wrong horse', against);
    const ratio = await costRatio(check(hash), check(null));
    expect(ratio).toBeGreaterThan(0.7);
    expect(ratio).toBeLessThan(1.4);
  });

  it('waits in the same queue', async () => {
    const hasher = createPasswordHasher({ concurrency: 1, maxWaiting: 1 });
    const hash = await hasher.hash('correct horse');
    const waiting = [hasher.verify('x', hash), hasher.verify('x', null)];
    await expect(hasher.verify('x', null)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await Promise.all(waiting)).toEqual([false, false]);
  });
});

describe('100 concurrent password checks', () => {
  const algorithm = { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' };
  const data = Buffer.from('header.payload');
  let privateKey: webcrypto.CryptoKey;
  let publicKey: webcrypto.CryptoKey;

  beforeAll(async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const toKey = (key: typeof pair.privateKey, use: 'sign' | 'verify') =>
      key.toCryptoKey(algorithm, true, [use]);
    [privateKey, publicKey] = [toKey(pair.privateKey, 'sign'), toKey(pair.publicKey, 'verify')];
  });

  /** Does the work of a token: a signature and its verification in libuv's pool, which also computes the hashes. */
  async function signAndVerify(): Promise<void> {
    const signature = await webcrypto.subtle.sign(algorithm, privateKey, data);
    expect(await webcrypto.subtle.verify(algorithm, publicKey, signature, data)).toBe(true);
  }

  // Retried, because other load on the machine may delay the token, but hardly every time.
  it('block neither a token nor the event loop', { retry: 4 }, async () => {
    const hasher = createPasswordHasher({
      concurrency: defaultConcurrency(LIBUV_THREADS),
      maxWaiting: 100,
    });
    let checked = 0;
    const total = timeOf(() =>
      Promise.all(
        Array.from({ length: 100 }, async () => {
          await hasher.verify('wrong', null);
          checked += 1;
        }),
      ),
    );
    const waits: number[] = [];
    for (let i = 0; i < 20; i += 1) waits.push(await timeOf(signAndVerify), await timeOf(nextTurn));
    // The hashes were pending during all measurements.
    expect(checked).toBeLessThan(100);
    // Without the queue, the first token would wait for all hashes.
    expect(Math.max(...waits)).toBeLessThan((await total) / 4);
  });
});

async function timeOf(task: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await task();
  return performance.now() - startedAt;
}

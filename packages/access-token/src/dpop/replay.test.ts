import { createDpopKey } from '@keydesk/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { accepted, type DpopWorld, invalidProof, startDpopWorld } from './dpop-world.fixture.ts';

const worlds: DpopWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.stop();
});

async function start(...settings: Parameters<typeof startDpopWorld>): Promise<DpopWorld> {
  const world = await startDpopWorld(...settings);
  worlds.push(world);
  return world;
}

describe('a proof that was used (RFC 9449 §11.1)', () => {
  it('is refused the second time', async () => {
    const { present, proof } = await start();
    const used = proof();
    expect(await present(used)).toMatchObject(accepted);
    expect(await present(used)).toMatchObject(invalidProof);
    expect(await present(proof())).toMatchObject(accepted);
  });

  it('is accepted once when sent concurrently', async () => {
    const { present, proof } = await start();
    const used = proof();
    const answers = await Promise.all(Array.from({ length: 50 }, () => present(used)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(49);
  });

  it('is refused for as long as any server with a slow or fast clock would accept it', async () => {
    const { present, proof, now, advanceSeconds } = await start();
    const used = proof({ claims: { iat: now().getTime() / 1000 + 10 } });
    expect(await present(used)).toMatchObject(accepted);
    for (let seconds = 0; seconds <= 80; seconds++) {
      expect(await present(used)).toMatchObject(invalidProof);
      advanceSeconds(1);
    }
  });

  it('is recognized by its jti, even with a new signature or other claims', async () => {
    const { present, proof } = await start();
    expect(await present(proof({ claims: { jti: 'same' } }))).toMatchObject(accepted);
    expect(await present(proof({ claims: { jti: 'same' } }))).toMatchObject(invalidProof);
    expect(await present(proof({ claims: { jti: 'same', more: 1 } }))).toMatchObject(invalidProof);
  });

  it('does not affect proofs of other keys with the same jti', async () => {
    const { prove, tokenFor, now } = await start();
    const holder = createDpopKey({ now });
    expect(await prove({ claims: { jti: 'same' } })).toMatchObject(accepted);
    expect(await prove({ claims: { jti: 'same' } }, { holder, token: tokenFor(holder) })).toMatchObject(
      accepted,
    );
  });
});

describe('a proof that was refused', () => {
  it('is not recorded, so that an attacker cannot use up the proofs of other clients', async () => {
    const { present, prove, proof, tokenFor, key } = await start();
    const jti = 'wanted';
    const thief = createDpopKey();
    const good = proof({ claims: { jti } });
    await prove({ claims: { jti }, sign: thief.sign });
    await prove({ claims: { jti, htm: 'POST' } });
    await prove({ claims: { jti } }, { holder: thief });
    await present(good, { token: tokenFor(key) });
    await present(good, { path: '/elsewhere' });
    await present([good, good]);
    expect(await present(good)).toMatchObject(accepted);
  });
});

describe('a replay guard that fails', () => {
  it('causes 503 for every valid proof', async () => {
    const firstUse = () => Promise.reject(new Error('no room'));
    const { prove } = await start({ replayGuard: { firstUse } });
    expect(await prove()).toMatchObject({ status: 503, retryAfter: '1', body: { code: 'unavailable' } });
    expect(await prove({ claims: { htm: 'POST' } })).toMatchObject(invalidProof);
  });

  it('receives hashes of one length for any jti (RFC 9449 §11.1)', async () => {
    const keys: string[] = [];
    const firstUse = async (key: string, ttlSeconds: number) => {
      keys.push(key);
      return ttlSeconds === 80;
    };
    const { prove } = await start({ replayGuard: { firstUse } });
    for (const jti of ['x', 'x'.repeat(4_000), '\n\0ä'])
      expect(await prove({ claims: { jti } })).toMatchObject(accepted);
    expect(keys.map((key) => /^[\w-]{43}$/.test(key))).toEqual([true, true, true]);
    expect(new Set(keys).size).toBe(3);
  });
});

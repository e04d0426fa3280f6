import { hash } from 'node:crypto';
import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { accepted, invalidProof, startDpopWorld } from './dpop-world.fixture.ts';

const world = useStarted(startDpopWorld);

const nowSeconds = () => Math.floor(world.now().getTime() / 1000);

describe('the claims of a proof (RFC 9449 §4.2, §4.3 no. 3)', () => {
  it.each(['jti', 'htm', 'htu', 'iat', 'ath'])('require %s', async (name) => {
    for (const value of [undefined, null, '', [], {}, true])
      expect(await world.prove({ claims: { [name]: value } })).toMatchObject(invalidProof);
  });

  it('may include others, such as a nonce that the server did not request', async () => {
    expect(await world.prove({ claims: { nonce: 'x', more: {} } })).toMatchObject(accepted);
  });
});

describe('the method in a proof (RFC 9449 §4.3 no. 8)', () => {
  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])('allows %s and nothing else', async (method) => {
    expect(await world.prove({}, { method })).toMatchObject(accepted);
    for (const htm of ['GET', 'HEAD', 'POST', method.toLowerCase(), `${method} `, [method]])
      if (htm !== method)
        expect(await world.prove({ claims: { htm } }, { method })).toMatchObject({ status: 401 });
  });
});

describe('the time of a proof (RFC 9449 §4.3 no. 11, §11.1)', () => {
  it.each([-60, -59, 0, 10])('can be %i seconds from now', async (seconds) => {
    expect(await world.prove({ claims: { iat: nowSeconds() + seconds } })).toMatchObject(accepted);
  });

  it.each([-61, -3_600, 11, 3_600, 1e12])('cannot be %i seconds from now', async (seconds) => {
    expect(await world.prove({ claims: { iat: nowSeconds() + seconds } })).toMatchObject(invalidProof);
  });

  it('is a number', async () => {
    for (const iat of [`${nowSeconds()}`, [nowSeconds()], world.now().toISOString()])
      expect(await world.prove({ claims: { iat } })).toMatchObject(invalidProof);
  });

  it('makes a proof invalid that arrives too late', async () => {
    const proof = world.proof();
    world.advanceSeconds(61);
    expect(await world.present(proof)).toMatchObject(invalidProof);
  });

  it('has the limits that the resource server configures', async () => {
    const other = await startDpopWorld({ maxAgeSeconds: 10, toleranceSeconds: 1 });
    const iat = Math.floor(other.now().getTime() / 1000);
    for (const [seconds, status] of [
      [-10, 200],
      [1, 200],
      [-11, 401],
      [2, 401],
    ] as const)
      expect(await other.prove({ claims: { iat: iat + seconds } })).toMatchObject({ status });
    await other.stop();
  });
});

describe('exp and nbf in a proof (RFC 7519 §4.1.4, §4.1.5)', () => {
  it.each([
    [{ exp: 60 }, accepted],
    [{ exp: -9 }, accepted],
    [{ exp: -10 }, invalidProof],
    [{ exp: -3_600 }, invalidProof],
    [{ nbf: 10 }, accepted],
    [{ nbf: 11 }, invalidProof],
    [{ nbf: -60, exp: 60 }, accepted],
  ])('are checked: %j seconds from now', async (limits, outcome) => {
    const times = Object.entries(limits).map(([name, seconds]) => [name, nowSeconds() + seconds]);
    expect(await world.prove({ claims: Object.fromEntries(times) })).toMatchObject(outcome);
  });

  it.each(['exp', 'nbf'])('must be numbers: %s', async (name) => {
    for (const value of [null, '', `${nowSeconds()}`, [], {}, true])
      expect(await world.prove({ claims: { [name]: value } })).toMatchObject(invalidProof);
  });
});

describe('the access token in a proof (RFC 9449 §4.3 no. 12 a, §7)', () => {
  it('is the one in the request, not another token of the same key', async () => {
    const other = world.tokenFor(world.key, { sub: 'another-user' });
    expect(await world.present(world.proof(), { token: other })).toMatchObject(invalidProof);
    expect(await world.present(world.proof())).toMatchObject(accepted);
  });

  it('is identified only by its SHA-256 hash in base64url', async () => {
    const { token } = world;
    const hex = hash('sha256', token, 'hex');
    const padded = `${hash('sha256', token, 'base64url')}=`;
    for (const ath of [token, hex, padded, hash('sha512', token, 'base64url')])
      expect(await world.prove({ claims: { ath } })).toMatchObject(invalidProof);
  });
});

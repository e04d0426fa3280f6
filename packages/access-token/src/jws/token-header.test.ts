import { listen } from '@keydesk/server';
import { createSigningKey, startTestIssuer, useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { startResourceServer } from '../resource-server.fixture.ts';

const invalidToken = { status: 401, challenge: expect.stringContaining('error="invalid_token"') };

const issuer = useStarted(startTestIssuer);
const server = useStarted(() => startResourceServer(issuer));

describe('the header of a token (RFC 9068 §4, RFC 8725 §2)', () => {
  it.each([
    ['no typ', { typ: undefined }],
    ['the typ of an ID token', { typ: 'JWT' }],
    ['a typ that is a list', { typ: ['at+jwt'] }],
    ['no alg', { alg: undefined }],
    ['an alg that is not allowed', { alg: 'ES384' }],
    ['an alg in lower case', { alg: 'es256' }],
    ['an alg that is a list', { alg: ['ES256'] }],
    ['an alg named like an Object.prototype member', { alg: 'constructor' }],
    ['no kid', { kid: undefined }],
    ['an empty kid', { kid: '' }],
    ['a kid that is a number', { kid: 1 }],
    ['a kid named like an Object.prototype member', { kid: '__proto__' }],
    ['crit', { crit: ['exp'] }],
    ['an empty crit', { crit: [] }],
    ['b64', { b64: true }],
    ['jwk', { jwk: {} }],
    ['x5u', { x5u: 'https://attacker.example' }],
    ['x5c', { x5c: [] }],
    ['a jku that is null', { jku: null }],
  ])('refuses %s even with a valid signature', async (_, header) => {
    expect(await server.present(issuer.token({}, { header }))).toMatchObject(invalidToken);
  });

  it('refuses an ID token as access token', async () => {
    const idToken = issuer.token(
      { client_id: undefined, nonce: 'n', jti: undefined },
      { header: { typ: 'JWT' } },
    );
    expect(await server.present(idToken)).toMatchObject(invalidToken);
  });

  it.each(['none', 'None', 'NONE'])('refuses the algorithm %s with an empty signature', async (alg) => {
    const token = issuer.token({}, { header: { alg }, sign: () => new Uint8Array() });
    expect(await server.present(token)).toMatchObject(invalidToken);
  });

  it('refuses a key embedded in the token', async () => {
    const key = createSigningKey(issuer.currentKey.kid);
    const token = issuer.token({}, { key, header: { jwk: key.jwk } });
    expect(await server.present(token)).toMatchObject(invalidToken);
  });

  it('refuses a key set URL in the token and never requests it', async () => {
    const key = createSigningKey();
    let visits = 0;
    const attacker = await listen(
      (_, response) => {
        visits += 1;
        response.end(JSON.stringify({ keys: [key.jwk] }));
      },
      { host: '127.0.0.1', port: 0 },
    );
    const url = `${attacker.url}/jwks`;
    for (const header of [{ jku: url }, { x5u: url }, { kid: url }, { jku: url, kid: issuer.currentKey.kid }])
      expect(await server.present(issuer.token({ iss: url }, { key, header }))).toMatchObject(invalidToken);
    expect(await server.present(issuer.token({}, { key, header: { jku: url } }))).toMatchObject(invalidToken);
    expect(visits).toBe(0);
    await attacker.close();
  });
});

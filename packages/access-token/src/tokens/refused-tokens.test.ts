import { createSigningKey, startTestIssuer, useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { startResourceServer } from '../resource-server.fixture.ts';
import { createTokenVerifier } from './token-verifier.ts';

const issuer = useStarted(startTestIssuer);
const server = useStarted(async () => {
  const started = await startResourceServer(issuer);
  await started.present(issuer.token()); // fetches the keys
  return started;
});
const opaque = 'x1yUcrKPXyDxzgsZJWmVsw7JnVTr1OHDvqBYn_JgnRt';
const strangersKey = createSigningKey('strangers-key');

/** Returns the `detail` of the 401 after checking that the challenge matches it and names the scope. */
async function detailOf(token: string, path = '/write'): Promise<unknown> {
  const { status, challenge, body } = await server.present(token, path);
  expect([status, body.code]).toEqual([401, 'invalid_token']);
  expect(challenge).toContain(`error="invalid_token", error_description="${body.detail}"`);
  expect(challenge?.includes('scope="tickets:write"')).toBe(path === '/write');
  return body.detail;
}

describe('a 401 (RFC 6750 §3)', () => {
  it('names the required scope even when the request has no token', async () => {
    const { challenge } = await server.get({}, '/write');
    expect(challenge).toContain('Bearer realm="api", scope="tickets:write", resource_metadata=');
  });

  it.each([
    [
      'for another API',
      () => issuer.token({ aud: 'https://other.example' }),
      'This token is not for this API; request tickets:write.',
    ],
    ['that is opaque', () => opaque, 'This token is not for this API; request tickets:write.'],
    [
      'of another issuer with the same keys',
      () => issuer.token({ iss: 'https://other.example' }),
      () => `This token names an issuer other than ${issuer.issuer}; request tickets:write.`,
    ],
    [
      'that a stranger signed',
      () => issuer.token({}, { key: strangersKey }),
      () => `This token is signed by no known key of ${issuer.issuer}; request tickets:write.`,
    ],
    [
      'that is an ID token',
      () => issuer.token({}, { header: { typ: 'JWT' } }),
      'This token is not an access token (typ at+jwt); send the access token, not the ID token.',
    ],
    ['that has expired', () => issuer.token({ exp: 1 }), 'The access token has expired.'],
    ['that is not valid yet', () => issuer.token({ nbf: Date.now() }), 'The access token is not valid yet.'],
    ['that is cut off', () => issuer.token().slice(0, 60), 'The access token is malformed.'],
  ])('states for a token %s what is wrong and what to request', async (_, token, detail) => {
    expect(await detailOf(token())).toBe(typeof detail === 'string' ? detail : detail());
  });

  it('names no scope when none is required', async () => {
    expect(await detailOf(opaque, '/')).toBe('This token is not for this API.');
  });

  it.each([
    ['has expired', { exp: 1 }],
    ['is for another API', { aud: 'https://other.example' }],
    ['is of another issuer', { iss: 'https://other.example' }],
    ['has no subject', { sub: undefined }],
  ])('does not reveal that a token %s when the issuer did not sign it', async (_, claims) => {
    const foreign = `This token is signed by no known key of ${issuer.issuer}; request tickets:write.`;
    const fetches = server.fetchCount();
    expect(await detailOf(issuer.token(claims, { key: strangersKey }))).toBe(foreign);
    expect(server.fetchCount()).toBe(fetches);
    const forged = issuer.token(claims, { key: createSigningKey(issuer.currentKey.kid) });
    expect(await detailOf(forged)).toBe('The signature of the access token is wrong.');
  });

  it('cannot contain an issuer with quotes, so the verifier rejects one at start', () => {
    const jwks = { currentKey: () => undefined, findKey: async () => undefined };
    expect(() =>
      createTokenVerifier({ issuer: 'http://a"b', audience: 'https://api.example', jwks }),
    ).toThrow(TypeError);
  });
});

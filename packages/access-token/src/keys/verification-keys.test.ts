import { generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto';
import { createSigningKey, startTestIssuer } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startResourceServer } from '../resource-server.fixture.ts';
import { importKeys, type VerificationKeys } from './verification-keys.ts';

/** Presents one token signed by the published key and one signed by the issuer's own key. */
async function presentWithPublished(change: (jwk: JsonWebKey, privateJwk: JsonWebKey) => unknown) {
  const issuer = await startTestIssuer();
  const server = await startResourceServer(issuer);
  onTestFinished(issuer.stop);
  onTestFinished(server.stop);
  const key = createSigningKey('key-1');
  issuer.publishJwk(change(key.jwk, key.privateKey.export({ format: 'jwk' })));
  return {
    byPublished: (await server.present(issuer.token({}, { key }))).status,
    byGood: (await server.present(issuer.token())).status,
  };
}

describe('a published key (RFC 7517 §4, §5)', () => {
  it.each<[string, Parameters<typeof presentWithPublished>[0]]>([
    ['correctly', (jwk) => jwk],
    ['without alg', ({ alg, ...jwk }) => jwk],
    ['without use', ({ use, ...jwk }) => jwk],
    ['with key_ops verify', (jwk) => ({ ...jwk, key_ops: ['verify'] })],
    ['with its private members, which are ignored', (jwk, { d = '' }) => ({ ...jwk, d })],
    ['with invalid private members', (jwk) => ({ ...jwk, d: 'x', p: 'x' })],
    [
      'with a certificate, which is ignored',
      (jwk) => ({ ...jwk, x5u: 'https://attacker.example', x5c: ['x'] }),
    ],
  ])('is used when published %s', async (_, change) => {
    expect(await presentWithPublished(change)).toEqual({ byPublished: 200, byGood: 200 });
  });

  it.each<[string, Parameters<typeof presentWithPublished>[0]]>([
    ['for encryption', (jwk) => ({ ...jwk, use: 'enc' })],
    ['for signing only', (jwk) => ({ ...jwk, key_ops: ['sign'] })],
    ['for another algorithm', (jwk) => ({ ...jwk, alg: 'ES384' })],
    ['as a secret', ({ x = '' }) => ({ kty: 'oct', k: x, kid: 'key-1' })],
    ['as an RSA key', () => ({ ...rsaKey(), kid: 'key-1' })],
    ['without kid', ({ kid, ...jwk }) => jwk],
    ['with a number as kid', (jwk) => ({ ...jwk, kid: 1 })],
    ['off the curve', ({ x = '', ...jwk }) => ({ ...jwk, x, y: x })],
    ['without y', ({ y, ...jwk }) => jwk],
    ['as null', () => null],
    ['as text', () => 'key'],
  ])('is ignored when published %s, and the other keys still work', async (_, change) => {
    expect(await presentWithPublished(change)).toEqual({ byPublished: 401, byGood: 200 });
  });

  it.each([
    [
      'an RSA key of less than 2048 bits (RFC 7518 §3.3)',
      'RS256',
      generateKeyPairSync('rsa', { modulusLength: 1024 }),
    ],
    ['a key on another curve (RFC 7518 §3.4)', 'ES256', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
  ])('is ignored when it is %s', async (_, alg, { publicKey, privateKey }) => {
    const issuer = await startTestIssuer();
    const server = await startResourceServer(issuer, { algorithms: ['RS256', 'ES256'] });
    onTestFinished(issuer.stop);
    onTestFinished(server.stop);
    issuer.publishJwk({ ...publicKey.export({ format: 'jwk' }), kid: 'weak' });
    const signer = { key: privateKey, dsaEncoding: 'ieee-p1363' as const };
    const token = issuer.token(
      {},
      { header: { alg, kid: 'weak' }, sign: (input) => sign('sha256', Buffer.from(input), signer) },
    );
    expect(await server.present(token)).toMatchObject({ status: 401 });
    expect(await server.present(issuer.token())).toMatchObject({ status: 200 });
  });
});

describe('a key that is published again', () => {
  it('is the same object, unless its alg has changed (RFC 7517 §4.4)', async () => {
    const jwk = { ...rsaKey(), kid: 'a' };
    const publish = (alg: string, previous: VerificationKeys = new Map()) =>
      importKeys({ keys: [{ ...jwk, alg }] }, ['RS256', 'PS256'], previous);
    const before = await publish('RS256');
    expect((await publish('RS256', before)).get('a')).toBe(before.get('a'));
    const after = await publish('PS256', before);
    expect([...(after.get('a')?.byAlgorithm.keys() ?? [])]).toEqual(['PS256']);
  });
});

function rsaKey(): JsonWebKey {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
}

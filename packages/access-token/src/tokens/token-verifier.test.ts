import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { createSigningKey, startTestIssuer, useStarted } from '@keydesk/testing';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createJwks } from '../keys/jwks.ts';
import { startResourceServer, startWorld } from '../resource-server.fixture.ts';
import { createTokenVerifier } from './token-verifier.ts';

const invalidToken = { status: 401, challenge: expect.stringContaining('error="invalid_token"') };

const issuer = useStarted(startTestIssuer);
const server = useStarted(() => startResourceServer(issuer));

describe('the signature of a token (RFC 8725 §2.1)', () => {
  const publicKeyAsSecret: [string, () => string | Buffer][] = [
    ['PEM', () => issuer.currentKey.publicKey.export({ type: 'spki', format: 'pem' })],
    [
      'PEM without its last line break',
      () => String(issuer.currentKey.publicKey.export({ type: 'spki', format: 'pem' })).trim(),
    ],
    ['DER', () => issuer.currentKey.publicKey.export({ type: 'spki', format: 'der' })],
    ['JWK', () => JSON.stringify(issuer.currentKey.jwk)],
    ['coordinates', () => Buffer.from(`${issuer.currentKey.jwk.x}${issuer.currentKey.jwk.y}`, 'base64url')],
    ['nothing', () => ''],
  ];

  it.each(publicKeyAsSecret)('refuses HS256 with the public key as secret: %s', async (_, secret) => {
    const sign = (input: string) => createHmac('sha256', secret()).update(input).digest();
    for (const alg of ['HS256', 'ES256'])
      expect(await server.present(issuer.token({}, { header: { alg }, sign }))).toMatchObject(invalidToken);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(64)],
    ['ones', Buffer.alloc(64, 0xff)],
    ['too little', Buffer.alloc(63, 1)],
    ['too much', Buffer.alloc(65, 1)],
  ])('refuses %s in place of a signature', async (_, signature) => {
    expect(await server.present(issuer.token({}, { sign: () => signature }))).toMatchObject(invalidToken);
  });

  it('refuses a DER signature, which JWS does not use', async () => {
    const der = (input: string) => sign('sha256', Buffer.from(input), issuer.currentKey.privateKey);
    expect(await server.present(issuer.token({}, { sign: der }))).toMatchObject(invalidToken);
  });

  it('refuses the signature of another key with the id of a published one', async () => {
    const key = createSigningKey(issuer.currentKey.kid);
    expect(await server.present(issuer.token({}, { key }))).toMatchObject(invalidToken);
  });

  it('refuses the signature of another token', async () => {
    const [header, payload] = issuer.token({ role: 'admin' }).split('.');
    const [, , signature] = issuer.token({ role: 'customer' }).split('.');
    expect(await server.present(`${header}.${payload}.${signature}`)).toMatchObject(invalidToken);
  });
});

describe('a signature (RFC 7518 §3)', () => {
  it.each(['ES256', 'RS256', 'PS256', 'Ed25519'] as const)(
    'by an independent implementation is accepted with %s when that algorithm is allowed',
    async (alg) => {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
      issuer.publishJwk({ ...(await exportJWK(publicKey)), kid: `jose-${alg}`, alg });
      const token = await new SignJWT({ client_id: 'app-1' })
        .setProtectedHeader({ alg, typ: 'at+jwt', kid: `jose-${alg}` })
        .setIssuer(issuer.issuer)
        .setAudience(issuer.audience)
        .setSubject('user-1')
        .setJti('id-1')
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey);
      const lenient = await startResourceServer(issuer, { algorithms: [alg] });
      expect(await lenient.present(token)).toMatchObject({ status: 200 });
      await lenient.stop();
      if (alg !== 'ES256') expect(await server.present(token)).toMatchObject(invalidToken);
    },
  );

  it('is refused with an algorithm other than the alg of its key (RFC 8725 §3.1)', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    issuer.publishJwk({ ...publicKey.export({ format: 'jwk' }), kid: 'rsa-1', alg: 'PS256' });
    const header = { alg: 'RS256', kid: 'rsa-1' };
    const rs256 = (input: string) => sign('sha256', Buffer.from(input), privateKey);
    const lenient = await startResourceServer(issuer, { algorithms: ['RS256', 'PS256'] });
    expect(await lenient.present(issuer.token({}, { header, sign: rs256 }))).toMatchObject(invalidToken);
    await lenient.stop();
  });
});

describe('a token in the cache', () => {
  it('is accepted until it expires', async () => {
    const { issuer, server, advanceSeconds, stop } = await startWorld();
    const token = issuer.token();
    expect(await server.present(token)).toMatchObject({ status: 200 });
    advanceSeconds(604);
    expect(await server.present(token)).toMatchObject({ status: 200 });
    advanceSeconds(1);
    expect(await server.present(token)).toMatchObject(invalidToken);
    await stop();
  });

  it('is accepted after its eviction', async () => {
    const small = await startResourceServer(issuer, { cacheSize: 2 });
    const tokens = [issuer.token(), issuer.token(), issuer.token()];
    for (const token of [...tokens, ...tokens])
      expect(await small.present(token)).toMatchObject({ status: 200 });
    await small.stop();
  });

  it('costs a fraction of the first verification', async () => {
    const jwks = createJwks({ url: issuer.jwksUrl });
    const verifier = createTokenVerifier({ issuer: issuer.issuer, audience: issuer.audience, jwks });
    const tokens = Array.from({ length: 500 }, () => issuer.token());
    const verifyAll = async () => {
      // CPU time of only this process, so that other load on the machine does not count.
      const before = process.cpuUsage();
      for (const token of tokens) await verifier.verify(token);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const first = await verifyAll();
    const again = await verifyAll();
    expect(again).toBeLessThan(first / 4);
  });
});

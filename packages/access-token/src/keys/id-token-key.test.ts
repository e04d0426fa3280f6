import { constants, generateKeyPairSync, sign } from 'node:crypto';
import { startTestIssuer } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startResourceServer } from '../resource-server.fixture.ts';

describe('the RSA key for ID tokens (RFC 8725 §3.1)', () => {
  it.each([
    ['RS256', constants.RSA_PKCS1_PADDING],
    ['PS256', constants.RSA_PKCS1_PSS_PADDING],
  ])('is not accepted for access tokens, even without an alg: %s', async (alg, padding) => {
    const issuer = await startTestIssuer();
    const server = await startResourceServer(issuer);
    const careless = await startResourceServer(issuer, { algorithms: ['ES256', 'RS256', 'PS256'] });
    onTestFinished(async () => {
      for (const stop of [server.stop, careless.stop, issuer.stop]) await stop();
    });
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    issuer.publishJwk({ ...publicKey.export({ format: 'jwk' }), kid: 'id-tokens', use: 'sig' });
    const signer = { key: privateKey, padding, saltLength: 32 };
    const signWithRsa = (input: string) => sign('sha256', Buffer.from(input), signer);
    const token = issuer.token({}, { header: { alg, kid: 'id-tokens' }, sign: signWithRsa });

    expect(await server.present(token)).toMatchObject({ status: 401 });
    expect(await server.present(issuer.token())).toMatchObject({ status: 200 });
    // Only the algorithm rejects the token: a server that allows it accepts the token.
    expect(await careless.present(token)).toMatchObject({ status: 200 });
  });
});

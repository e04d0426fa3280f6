import { useStarted } from '@keydesk/testing';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import { describe, expect, it } from 'vitest';
import { accepted, startDpopWorld } from './dpop-world.fixture.ts';
import { createProofVerifier } from './proof-verifier.ts';

const world = useStarted(startDpopWorld);

describe('a client made with oauth4webapi', () => {
  /** Calls the resource at its public URL, as through a proxy. The client shares the test's clock. */
  async function startClient(alg: 'ES256' | 'Ed25519') {
    const clockSkew = Math.floor((world.now().getTime() - Date.now()) / 1000);
    const client = { client_id: 'client-1', [oauth.clockSkew]: clockSkew };
    const handle = oauth.DPoP(client, await oauth.generateKeyPair(alg));
    const token = world.issuer.token({ cnf: { jkt: await handle.calculateThumbprint() } });
    const throughProxy = (url: string, { body: _, ...init }: oauth.CustomFetchOptions<string, unknown>) =>
      fetch(url.replace('https://api.example', world.server.url), init);
    return (method: string, path: string, options: object = { DPoP: handle }) => {
      const url = new URL(path, 'https://api.example');
      const all = { [oauth.customFetch]: throughProxy, ...options };
      return oauth.protectedResourceRequest(token, method, url, undefined, undefined, all);
    };
  }

  it.each(['ES256', 'Ed25519'] as const)('is accepted with an %s key', async (alg) => {
    const call = await startClient(alg);
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/ticket/1.json?a=b'],
      ['POST', '/%7Eä'],
      ['DELETE', '/x'],
    ] as const)
      expect((await call(method, path)).status).toBe(200);
  });

  it('parses the challenges when it sends its bound token without a proof', async () => {
    const call = await startClient('ES256');
    const refusal = await call('GET', '/', {}).catch((err) => err);
    expect(refusal).toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
    expect(refusal.cause).toMatchObject([
      { scheme: 'bearer', parameters: { error: 'invalid_token' } },
      { scheme: 'dpop', parameters: { algs: 'ES256 Ed25519 EdDSA', realm: 'api' } },
    ]);
  });
});

describe('a proof made with jose', () => {
  it.each(['ES256', 'Ed25519', 'EdDSA'])('is accepted with %s', async (alg) => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = await exportJWK(publicKey);
    const token = world.issuer.token({ cnf: { jkt: await calculateJwkThumbprint(jwk) } });
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(token));
    const ath = Buffer.from(digest).toString('base64url');
    const proof = await new SignJWT({ htm: 'GET', htu: 'https://api.example/', ath })
      .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk })
      .setIssuedAt(Math.floor(world.now().getTime() / 1000))
      .setJti('id-1')
      .sign(privateKey);
    expect(await world.present(proof, { token })).toMatchObject(accepted);
  });
});

describe('the example of RFC 9449 §7.1', () => {
  const proof =
    'eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0' +
    'RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAt' +
    'MjU2In19.eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZ' +
    'y9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0N' +
    'BcWtzbVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA';

  it('is a valid proof for its request, its token and the key of §6.1', async () => {
    const verifier = createProofVerifier({
      baseUrl: 'https://resource.example.org',
      replayGuard: { firstUse: async () => true },
      now: () => new Date(1_562_262_620_000),
    });
    const request = {
      proof,
      method: 'GET',
      requestTarget: '/protectedresource',
      accessToken: 'Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU',
      thumbprint: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I',
    };
    await expect(verifier.verify(request)).resolves.toBeUndefined();
    await expect(verifier.verify({ ...request, method: 'POST' })).rejects.toThrow('another method');
  });
});

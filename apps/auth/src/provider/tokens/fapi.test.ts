import { useStarted } from '@keydesk/testing';
import { decodeJwt, decodeProtectedHeader, exportJWK, importJWK, type JWTPayload, SignJWT } from 'jose';
import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { authorize, createRequest, REDIRECT_URI, redeem, startJourney } from '../../tests/people.fixture.ts';
import { type KeyJourney, newClientKey, startKeyJourney } from '../../tests/signing-clients.fixture.ts';
import { API, startTestServer } from '../../tests/test-server.fixture.ts';

const security = { profile: 'fapi2' } as const;
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const now = () => Math.floor(Date.now() / 1000);

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: KeyJourney;
  beforeAll(async () => {
    journey = await startKeyJourney(server, { security });
  });

  const newHandle = async ({ application } = journey) =>
    oauth.getDPoPHandle(application, await oauth.randomDPoPKeyPair());

  /** Runs the flow of the profile with the given changes and returns the tokens. */
  async function obtain(
    client: KeyJourney,
    { DPoP, ...changes }: { DPoP?: oauth.DPoPHandle; [name: string]: unknown },
  ) {
    const request = await createRequest(client);
    const parameters = {
      ...Object.fromEntries(request.url.searchParams),
      ...(changes as Record<string, string>),
    };
    const url = await oauth.buildAuthorizationUrlWithPAR(client.application, parameters);
    const callback = await authorize(client, { ...request, url });
    return { callback, tokens: await redeem(client, request, callback, DPoP && { DPoP }) };
  }

  describe('a client of the FAPI 2.0 Security Profile', () => {
    it.each(['ES256', 'PS256', 'EdDSA'])(
      'gets bound tokens by pushed requests and assertions signed with %s (§5.3.2, §5.4.1)',
      async (alg) => {
        const client = await startKeyJourney(server, { alg, security });
        const DPoP = await newHandle(client);
        const { callback, tokens } = await obtain(client, { DPoP });
        // §5.3.2.2 no. 7
        expect(callback.searchParams.get('iss')).toBe(server.url);
        expect(tokens.token_type).toBe('dpop');
        const cnf = { jkt: await DPoP.calculateThumbprint() };
        expect(decodeJwt(tokens.access_token)).toMatchObject({ cnf, aud: API });
        expect(decodeProtectedHeader(tokens.id_token ?? '').alg).toBe('ES256');
      },
    );

    it('keeps its refresh token, which is also valid with a new key (§5.3.2.1 no. 9)', async () => {
      const { tokens } = await obtain(journey, { DPoP: await newHandle() });
      for (let use = 0; use < 3; use += 1) {
        const refreshed = await oauth.refreshTokenGrant(
          journey.application,
          tokens.refresh_token ?? '',
          undefined,
          {
            DPoP: await newHandle(),
          },
        );
        expect(refreshed.refresh_token).toBe(tokens.refresh_token);
      }
    });

    it('can be a machine', async () => {
      const key = await newClientKey();
      const { id } = await server.addClient({ jwks: key.jwks, security });
      const application = await oauth.discovery(
        new URL(server.url),
        id,
        undefined,
        oauth.PrivateKeyJwt(key),
        {
          execute: [oauth.allowInsecureRequests],
        },
      );
      const DPoP = oauth.getDPoPHandle(application, await oauth.randomDPoPKeyPair());
      expect((await oauth.clientCredentialsGrant(application, {}, { DPoP })).token_type).toBe('dpop');
      const bearer = oauth.clientCredentialsGrant(application);
      await expect(bearer).rejects.toMatchObject({ error: 'invalid_grant' });
    });

    it('must push its authorization requests (§5.3.2.2 no. 3)', async () => {
      const { url } = await createRequest(journey);
      const page = await journey.browser.open(url);
      expect(page.url.searchParams.get('error')).toBe('invalid_request');
    });

    it('gets no token that is not bound to a key (§5.3.2.1 no. 4)', async () => {
      await expect(obtain(journey, {})).rejects.toMatchObject({ error: 'invalid_grant' });
      const { tokens } = await obtain(journey, { DPoP: await newHandle() });
      const bearer = oauth.refreshTokenGrant(journey.application, tokens.refresh_token ?? '');
      await expect(bearer).rejects.toMatchObject({ error: 'invalid_grant' });
    });

    it.each([
      [
        'another response type than code (§5.3.2.2 no. 1)',
        { response_type: 'code id_token' },
        'unsupported_response_type',
      ],
      ['no redirect URI (§5.3.2.2 no. 6)', { redirect_uri: '' }],
      ['no PKCE (§5.3.2.2 no. 5)', { code_challenge: '', code_challenge_method: '' }],
      ['plain PKCE (§5.3.2.2 no. 5)', { code_challenge_method: 'plain' }],
    ])('cannot push a request with %s', async (_, changes, error = 'invalid_request') => {
      await expect(obtain(journey, changes)).rejects.toMatchObject({ error });
    });
  });

  describe('a client assertion of such a client (RFC 7523 §3)', () => {
    async function push(claims: JWTPayload, key = journey.key, alg = key.alg) {
      const { clientId: id } = journey;
      const good = {
        iss: id,
        sub: id,
        aud: server.url,
        jti: crypto.randomUUID(),
        iat: now(),
        exp: now() + 60,
      };
      const client_assertion = await new SignJWT({ ...good, ...claims })
        .setProtectedHeader({ alg })
        .sign(key.key);
      const { url } = await createRequest(journey);
      for (const [name, value] of Object.entries({ client_assertion_type: ASSERTION_TYPE, client_assertion }))
        url.searchParams.set(name, value);
      const response = await fetch(`${server.url}/request`, { method: 'POST', body: url.searchParams });
      const { error } = (await response.json()) as { error?: string };
      return { status: response.status, error };
    }

    it('is accepted with the issuer as audience and a clock that is 10 s ahead (FAPI 2.0 §5.3.2.1 no. 8, no. 13)', async () => {
      expect(await push({ iat: now() + 10, nbf: now() + 10 })).toMatchObject({ status: 201 });
    });

    it.each<[string, () => JWTPayload]>([
      ['for the token endpoint (FAPI 2.0 §5.3.2.1 no. 8)', () => ({ aud: `${server.url}/token` })],
      [
        'for the endpoint that receives it (FAPI 2.0 §5.3.2.1 no. 8)',
        () => ({ aud: `${server.url}/request` }),
      ],
      ['with a list as audience (FAPI 2.0 §5.3.2.1 no. 8)', () => ({ aud: [server.url] })],
      ['with an iat more than a minute ahead (FAPI 2.0 §5.3.2.1 no. 13)', () => ({ iat: now() + 70 })],
      ['with an nbf more than a minute ahead (FAPI 2.0 §5.3.2.1 no. 13)', () => ({ nbf: now() + 70 })],
    ])('is rejected %s', async (_, claims) => {
      expect(await push(claims())).toEqual({ status: 401, error: 'invalid_client' });
    });

    it('is rejected on second use', async () => {
      const claims = { jti: crypto.randomUUID() };
      expect(await push(claims)).toMatchObject({ status: 201 });
      expect(await push(claims)).toEqual({ status: 401, error: 'invalid_client' });
    });

    it('is rejected with RS256, even with a suitable key (FAPI 2.0 §5.4.1)', async () => {
      const key = await newClientKey('RS256');
      const rsa = await startJourney(server, {
        client: { jwks: key.jwks, security },
        authentication: oauth.PrivateKeyJwt(key),
      });
      const { url } = await createRequest(rsa);
      const pushed = oauth.buildAuthorizationUrlWithPAR(rsa.application, url.searchParams);
      await expect(pushed).rejects.toMatchObject({ error: 'invalid_client' });
    });
  });

  describe('a pushed request object of such a client (FAPI 2.0 Message Signing §5.3.1)', () => {
    async function push(changes: JWTPayload, { clientId: iss, application, key } = journey, alg = key.alg) {
      const { url } = await createRequest({ ...journey, application });
      const good = {
        ...Object.fromEntries(url.searchParams),
        iss,
        aud: server.url,
        iat: now(),
        exp: now() + 60,
      };
      const signingKey = await importJWK(await exportJWK(key.key), alg);
      const request = await new SignJWT({ ...good, ...changes }).setProtectedHeader({ alg }).sign(signingKey);
      return oauth.buildAuthorizationUrlWithPAR(application, { request });
    }

    it('is rejected with RS256, even with a suitable key (FAPI 2.0 §5.4.1)', async () => {
      const client = await startKeyJourney(server, { alg: 'PS256', security });
      await expect(push({ nbf: now() }, client)).resolves.toBeInstanceOf(URL);
      const refused = push({ nbf: now() }, client, 'RS256');
      await expect(refused).rejects.toMatchObject({ error: 'invalid_request_object' });
    });

    it('is rejected without an nbf', async () => {
      await expect(push({ nbf: now() })).resolves.toBeInstanceOf(URL);
      await expect(push({})).rejects.toMatchObject({ error: 'invalid_request_object' });
    });
  });

  describe('registering such a client', () => {
    const invalid = { code: 'validation_failed' };
    const web = { type: 'web', role: null, redirectUris: [REDIRECT_URI] } as const;

    it('is rejected without keys (FAPI 2.0 §5.3.2.1 no. 6)', async () => {
      for (const request of [web, { ...web, type: 'spa' as const }, {}])
        await expect(server.addClient({ security, ...request })).rejects.toMatchObject(invalid);
    });

    it('is rejected with keys for other algorithms (FAPI 2.0 §5.4.1)', async () => {
      for (const alg of ['ES384', 'RS256']) {
        const { jwks } = await newClientKey(alg);
        const keys = jwks.keys.map((key) => ({ ...key, alg }));
        await expect(server.addClient({ security, jwks: { keys } })).rejects.toMatchObject(invalid);
      }
    });

    it('is rejected with http redirect URIs (FAPI 2.0 §5.3.2.2 no. 8)', async () => {
      const { jwks } = await newClientKey();
      const register = (redirectUris: string[]) => server.addClient({ security, ...web, jwks, redirectUris });
      await expect(register([REDIRECT_URI, 'http://127.0.0.1/callback'])).rejects.toMatchObject(invalid);
      expect((await register([REDIRECT_URI])).client.security.profile).toBe('fapi2');
    });
  });

  describe('switching a client', () => {
    it('to the profile and back applies from the next request on', async () => {
      const client = await startKeyJourney(server);
      const bearer = () => obtain(client, {}).then(({ tokens }) => tokens.token_type);
      expect(await bearer()).toBe('bearer');
      await server.clients.setProfile(client.clientId, 'fapi2');
      await expect(bearer()).rejects.toMatchObject({ error: 'invalid_grant' });
      await server.clients.setProfile(client.clientId, null);
      expect(await bearer()).toBe('bearer');
    });

    it('to the profile keeps its rotated refresh tokens unusable (RFC 9700 §4.14.2)', async () => {
      const client = await startKeyJourney(server);
      const DPoP = await newHandle(client);
      const refresh = (token: string | undefined) =>
        oauth.refreshTokenGrant(client.application, token ?? '', undefined, { DPoP });
      const { tokens } = await obtain(client, { DPoP });
      const { refresh_token } = await refresh(tokens.refresh_token);
      await server.clients.setProfile(client.clientId, 'fapi2');
      expect((await refresh(refresh_token)).refresh_token).toBe(refresh_token);
      for (const dead of [tokens.refresh_token, refresh_token])
        await expect(refresh(dead)).rejects.toMatchObject({ error: 'invalid_grant' });
    });

    it('to the profile requires keys', async () => {
      const { clientId } = await startJourney(server);
      await expect(server.clients.setProfile(clientId, 'fapi2')).rejects.toMatchObject({
        code: 'validation_failed',
      });
    });
  });
});

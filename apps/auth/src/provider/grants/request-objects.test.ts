import { useStarted } from '@keydesk/testing';
import { CompactSign, SignJWT, UnsecuredJWT } from 'jose';
import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { authorize, type Journey, REDIRECT_URI, redeem, startJourney } from '../../tests/people.fixture.ts';
import {
  type ClientKey,
  errorIn,
  type KeyJourney,
  newClientKey,
  newRequest,
  push,
  startKeyJourney,
} from '../../tests/signing-clients.fixture.ts';
import { startTestServer } from '../../tests/test-server.fixture.ts';

const now = () => Math.floor(Date.now() / 1000);

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let web: Journey;
  let signer: KeyJourney;
  beforeAll(async () => {
    web = await startJourney(server);
    signer = await startKeyJourney(server);
  });

  describe('a signed request object (RFC 9101)', () => {
    it.each(['ES256', 'PS256', 'EdDSA'])(
      'completes the flow of an application, signed with %s (§4)',
      async (alg) => {
        const journey = await startKeyJourney(server, { alg });
        const { request, parameters } = await newRequest(journey);
        const url = await oauth.buildAuthorizationUrlWithJAR(journey.application, parameters, journey.key);
        expect([...url.searchParams.keys()].toSorted()).toEqual(['client_id', 'request']);
        const tokens = await redeem(journey, request, await authorize(journey, { ...request, url }));
        expect(tokens.claims()?.sub).toBe(journey.accountId);
      },
    );

    it('overrides parameters outside of it (§6.3)', async () => {
      const { request, parameters } = await newRequest(signer);
      const url = await oauth.buildAuthorizationUrlWithJAR(signer.application, parameters, signer.key);
      url.searchParams.set('nonce', 'forged');
      url.searchParams.set('redirect_uri', 'https://evil.example/');
      const callback = await authorize(signer, { ...request, url });
      expect(callback.origin + callback.pathname).toBe(REDIRECT_URI);
      expect((await redeem(signer, request, callback)).claims()?.nonce).toBe(request.nonce);
    });

    type Claims = Record<string, unknown>;
    const claimsOf = async (journey: Journey, changes: Claims = {}): Promise<Claims> => ({
      ...(await newRequest(journey)).parameters,
      iss: journey.clientId,
      aud: server.url,
      nbf: now(),
      exp: now() + 300,
      ...changes,
    });
    type Key = Pick<ClientKey, 'alg'> & { key: ClientKey['key'] | Uint8Array };
    const sign = (claims: Claims, { alg, key }: Key = signer.key) =>
      new SignJWT(claims).setProtectedHeader({ alg, typ: 'oauth-authz-req+jwt' }).sign(key);
    const errorOf = async (journey: Journey, request: string) => {
      const query = new URLSearchParams({ client_id: journey.clientId, request, redirect_uri: REDIRECT_URI });
      return errorIn(await journey.browser.open(new URL(`/auth?${query}&response_type=code`, server.url)));
    };

    it.each<[string, Claims]>([
      ['of another issuer (§4)', { iss: 'somebody else' }],
      ['for another audience (§4)', { aud: 'https://other.example' }],
      ['for no audience', { aud: undefined }],
      ['that has expired', { nbf: now() - 400, exp: now() - 60 }],
      ['that never expires', { exp: undefined }],
      ['that expires more than an hour after its nbf', { exp: now() + 4_000 }],
      ['without an nbf', { nbf: undefined }],
      ['that is not valid yet', { nbf: now() + 300, exp: now() + 600 }],
      ['with an iat in the future', { nbf: undefined, iat: now() + 300, exp: now() + 600 }],
      ['that could be mistaken for a client assertion (§10.8)', { sub: 'the client' }],
      ['of another client (§5)', { client_id: 'somebody else' }],
      ['that contains another request object (§4)', { request: 'e30.e30.e30' }],
      ['that names a request URI (§4)', { request_uri: 'https://app.example/r' }],
    ])('is rejected %s', async (_, changes) => {
      const { sub } = changes;
      const claims = await claimsOf(signer, {
        ...changes,
        ...(sub !== undefined && { sub: signer.clientId }),
      });
      expect(await errorOf(signer, await sign(claims))).toBe('invalid_request_object');
    });

    it('is rejected if it repeats a name (RFC 7519 §4)', async () => {
      const text = JSON.stringify(await claimsOf(signer)).replace('{', '{"nonce":"another",');
      const { alg, key } = signer.key;
      const request = await new CompactSign(new TextEncoder().encode(text))
        .setProtectedHeader({ alg, typ: 'oauth-authz-req+jwt' })
        .sign(key);
      expect(await errorOf(signer, request)).toBe('invalid_request_object');
    });

    it('cannot request unregistered scopes or an empty list of resources (§5)', async () => {
      const bounded = await startKeyJourney(server, { scopes: ['openid', 'profile'] });
      const ask = async (changes: Claims) =>
        errorOf(
          bounded,
          await sign(await claimsOf(bounded, { scope: 'openid email', ...changes }), bounded.key),
        );
      expect(await ask({})).toBe('invalid_scope');
      expect(await ask({ resource: [] })).toBe('invalid_request_object');
    });

    it('is rejected if another key signed it (§6.2)', async () => {
      const request = await sign(await claimsOf(signer), await newClientKey());
      expect(await errorOf(signer, request)).toBe('invalid_request_object');
    });

    it('is rejected without a signature (§10.1, RFC 8725 §3.2)', async () => {
      const request = new UnsecuredJWT(await claimsOf(signer)).encode();
      expect(await errorOf(signer, request)).toBe('invalid_request_object');
    });

    it.each(['kept-as-a-digest', 'secret'])(
      'is rejected if a secret signed it (RFC 8725 §3.1): %s',
      async (secret) => {
        const key = new TextEncoder().encode((secret === 'secret' ? web.clientSecret : secret) ?? '');
        const request = await sign(await claimsOf(web), { alg: 'HS256', key });
        expect(await errorOf(web, request)).toBe('invalid_request_object');
      },
    );

    it('does not authenticate the client (RFC 8725 §3.11)', async () => {
      const claims = await claimsOf(signer, { sub: signer.clientId, jti: crypto.randomUUID() });
      const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      const form = { ...(await newRequest(signer)).parameters, client_assertion_type };
      expect(await push(server, { ...form, client_assertion: await sign(claims) })).toMatchObject({
        status: 401,
      });
    });
  });

  describe('a client registered with require_signed_request_object (RFC 9101 §10.5)', () => {
    const security = { requireSignedRequestObject: true };

    it('cannot send an unsigned request, pushed or not', async () => {
      const journey = await startKeyJourney(server, { security });
      const { request, parameters } = await newRequest(journey);
      expect(errorIn(await journey.browser.open(request.url))).toBe('invalid_request');
      const pushed = oauth.buildAuthorizationUrlWithPAR(journey.application, parameters);
      await expect(pushed).rejects.toMatchObject({ error: 'invalid_request' });
      const { application, key } = journey;
      const signed = await oauth.buildAuthorizationUrlWithJAR(application, parameters, key);
      const url = await oauth.buildAuthorizationUrlWithPAR(application, signed.searchParams);
      expect((await authorize(journey, { ...request, url })).searchParams.has('code')).toBe(true);
    });

    it('must have keys', async () => {
      await expect(startJourney(server, { client: { security } })).rejects.toMatchObject({
        code: 'validation_failed',
      });
    });
  });
});

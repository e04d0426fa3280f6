import { useStarted } from '@keydesk/testing';
import { createRemoteJWKSet, decodeProtectedHeader, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import * as oauth from 'openid-client';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { idTokenAlgorithms } from '../../clients/client.ts';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import type { Page } from '../../tests/browser.fixture.ts';
import {
  authorize,
  createRequest,
  type Journey,
  REDIRECT_URI,
  redeem,
  signIn,
  startJourney,
} from '../../tests/people.fixture.ts';
import { push, startKeyJourney } from '../../tests/signing-clients.fixture.ts';
import { basic, startTestServer } from '../../tests/test-server.fixture.ts';
import { fieldsIn, responseIn } from './posted-response.fixture.ts';

const APP_URI = 'com.example.app:/callback';
const WRONG = { scope: 'openid root' };
const TEN_MINUTES = 600;

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;
  beforeAll(async () => {
    journey = await startJourney(server);
  });

  /** Verifies a response as its client must (JARM §2.4). */
  async function verify(response: unknown, audience = journey.clientId): Promise<JWTPayload> {
    const keys = createRemoteJWKSet(new URL(`${server.url}/jwks`));
    const { payload } = await jwtVerify(String(response), keys, {
      issuer: server.url,
      audience,
      requiredClaims: ['iss', 'aud', 'exp'],
    });
    return payload;
  }

  /** Returns the only parameter of a redirect to an application. */
  function responseAt({ searchParams }: URL): string {
    expect([...searchParams.keys()]).toEqual(['response']);
    return searchParams.get('response') ?? '';
  }

  /** Configures the application as a client that expects signed responses. */
  function expectSigned(at: Journey, authorization_signed_response_alg?: string): Journey {
    const { application, clientId, clientSecret } = at;
    const metadata = { ...(authorization_signed_response_alg && { authorization_signed_response_alg }) };
    const authentication = oauth.ClientSecretBasic(clientSecret ?? '');
    const expecting = new oauth.Configuration(
      application.serverMetadata(),
      clientId,
      metadata,
      authentication,
    );
    oauth.allowInsecureRequests(expecting);
    oauth.useJwtResponseMode(expecting);
    return { ...at, application: expecting };
  }

  async function allow({ browser, ...at }: Journey, url: URL): Promise<Page> {
    let page = await browser.open(url);
    if (page.html.includes('id="sign-in"')) page = await signIn({ browser, ...at }, page);
    return browser.submit(page, 'consent', { decision: 'allow' });
  }

  describe('an authorization response as a JWT (JARM §2.1, §2.3)', () => {
    it.each(['jwt', 'query.jwt'])(
      'is returned in the query for %s, with no other parameter',
      async (mode) => {
        const request = await createRequest(journey, { response_mode: mode });
        const callback = await authorize(journey, request);
        expect(callback.origin + callback.pathname).toBe(REDIRECT_URI);
        const { exp = 0, ...claims } = await verify(responseAt(callback));
        expect(claims).toEqual({
          iss: server.url,
          aud: journey.clientId,
          state: request.state,
          code: expect.any(String),
        });
        expect(exp * 1000).toBeLessThan(Date.now() + TEN_MINUTES * 1000);
      },
    );

    it('works with a client library, by query and by form', async () => {
      const expecting = expectSigned(journey);
      const request = await createRequest(expecting);
      expect(request.url.searchParams.get('response_mode')).toBe('jwt');
      const tokens = await redeem(expecting, request, await authorize(expecting, request));
      expect(tokens.claims()?.sub).toBe(journey.accountId);

      const posted = await createRequest(journey, { response_mode: 'form_post.jwt' });
      const page = await allow(expecting, posted.url);
      expect((await redeem(expecting, posted, responseIn(page))).access_token).toBeDefined();
    });

    it('is posted for form_post.jwt by a script with a fresh nonce', async () => {
      const { url, state } = await createRequest(journey, { response_mode: 'form_post.jwt' });
      const page = await allow(journey, url);
      expect([page.status, page.url.origin]).toEqual([200, server.url]);
      const nonce = /<script nonce="([^"]+)">/.exec(page.html)?.[1];
      expect(page.headers.get('content-security-policy')).toContain(`script-src 'nonce-${nonce}'`);
      expect(responseIn(page).url).toBe(REDIRECT_URI);
      const { response, ...others } = await fieldsIn(page);
      expect(others).toEqual({});
      expect(await verify(response)).toMatchObject({ state, code: expect.any(String) });
    });

    it('can be requested in a pushed request and in a signed one (RFC 9126, RFC 9101)', async () => {
      const asked = await createRequest(journey, { response_mode: 'jwt' });
      const parameters = Object.fromEntries(asked.url.searchParams);
      const authentication = basic(journey.clientId, journey.clientSecret);
      const { request_uri } = await push(server, parameters, authentication);
      const query = new URLSearchParams({ client_id: journey.clientId, request_uri });
      const url = new URL(`/auth?${query}`, server.url);
      expect(await verify(responseAt(await authorize(journey, { ...asked, url })))).toHaveProperty('code');

      const signer = await startKeyJourney(server);
      const { url: plain } = await createRequest(signer, { response_mode: 'jwt' });
      const request = await new SignJWT(Object.fromEntries(plain.searchParams))
        .setProtectedHeader({ alg: signer.key.alg, kid: signer.key.kid })
        .setIssuer(signer.clientId)
        .setAudience(server.url)
        .setNotBefore('0s')
        .setExpirationTime('1m')
        .sign(signer.key.key);
      const search = new URLSearchParams({ client_id: signer.clientId, request });
      const signed = await authorize(signer, { ...asked, url: new URL(`/auth?${search}`, server.url) });
      expect(await verify(responseAt(signed), signer.clientId)).toHaveProperty('code');
    });
  });

  describe('the signature of an authorization response (JARM §3)', () => {
    const signedWith = async (at: Journey) => {
      const callback = await authorize(at, await createRequest(at, { response_mode: 'jwt' }));
      return decodeProtectedHeader(responseAt(callback)).alg;
    };

    it('uses RS256 for a client without a registered algorithm', async () => {
      expect(await signedWith(journey)).toBe('RS256');
    });

    it.each(idTokenAlgorithms)('uses %s for a client that registered it', async (algorithm) => {
      const security = { authorizationResponseAlgorithm: algorithm };
      const at = expectSigned(await startJourney(server, { client: { security } }), algorithm);
      const request = await createRequest(at);
      const callback = await authorize(at, request);
      expect(decodeProtectedHeader(responseAt(callback)).alg).toBe(algorithm);
      expect((await redeem(at, request, callback)).access_token).toBeDefined();
    });

    it('uses ES256 instead of RS256 for clients of the FAPI 2.0 profile (FAPI 2.0 §5.4.1)', async () => {
      const at = await startKeyJourney(server, { security: { profile: 'fapi2' } });
      const { url } = await createRequest(at, { response_mode: 'jwt' });
      const pushed = await oauth.buildAuthorizationUrlWithPAR(at.application, url.searchParams);
      const page = await at.browser.open(pushed);
      const cancelled = await at.browser.open(`${page.url.pathname}/cancel`);
      expect(decodeProtectedHeader(responseAt(cancelled.url)).alg).toBe('ES256');
    });
  });

  describe('an error for a client that requests a signed response (JARM §2.1)', () => {
    it('is signed, with its state', async () => {
      const { url, state } = await createRequest(journey, { ...WRONG, response_mode: 'jwt' });
      const answer = await journey.browser.open(url);
      const claims = await verify(responseAt(answer.url));
      expect(claims).toMatchObject({ error: 'invalid_scope', state, iss: server.url });
    });

    it('is signed after the user denies consent, by query and by form', async () => {
      for (const mode of ['query.jwt', 'form_post.jwt']) {
        const at = await startJourney(server);
        const { url } = await createRequest(at, { response_mode: mode });
        const consent = await signIn(at, await at.browser.open(url));
        const denied = await at.browser.submit(consent, 'consent', { decision: 'deny' });
        const { response } =
          denied.status === 0 ? { response: responseAt(denied.url) } : await fieldsIn(denied);
        expect([mode, denied.status]).toEqual([mode, mode === 'query.jwt' ? 0 : 400]);
        expect(await verify(response, at.clientId)).toMatchObject({ error: 'access_denied' });
      }
    });

    it('asks the user before it leads to an unverified application (RFC 9700 §4.11.2)', async () => {
      for (const mode of ['jwt', 'form_post.jwt']) {
        const at = await startJourney(server, { owner: uuidv7() });
        const { url } = await createRequest(at, { ...WRONG, response_mode: mode });
        const page = await at.browser.open(url);
        expect([page.url.origin, page.status]).toEqual([server.url, 400]);
        expect(page.html).toContain('id="leave"');
        expect(page.html).not.toContain('<script');
        const [, href = ''] = /<a id="go-on"[^>]*href="([^"]*)"/.exec(page.html) ?? [];
        const response = mode === 'jwt' ? responseAt(new URL(href)) : (await fieldsIn(page)).response;
        expect(await verify(response, at.clientId)).toMatchObject({ error: 'invalid_scope' });
      }
    });

    it('is redirected if form_post.jwt cannot reach an app (RFC 8252 §7.1)', async () => {
      const app = await startJourney(server, { type: 'native', redirectUri: APP_URI });
      const parameters = { response_mode: 'form_post.jwt', redirect_uri: APP_URI };
      for (const changes of [{}, WRONG]) {
        const { url } = await createRequest(app, { ...parameters, ...changes });
        const answer = await app.browser.open(url);
        expect([answer.status, answer.url.protocol]).toEqual([0, 'com.example.app:']);
        expect(await verify(responseAt(answer.url), app.clientId)).toHaveProperty('error');
      }
    });
  });
});

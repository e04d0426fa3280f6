import { useStarted } from '@keydesk/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import type { Page } from '../../tests/browser.fixture.ts';
import {
  createRequest,
  type Journey,
  REDIRECT_URI,
  redeem,
  signIn,
  startJourney,
} from '../../tests/people.fixture.ts';
import { push } from '../../tests/signing-clients.fixture.ts';
import { basic, startTestServer } from '../../tests/test-server.fixture.ts';
import { fieldsIn, responseIn } from './posted-response.fixture.ts';

const MODE = { response_mode: 'form_post' };
const APP_URI = 'com.example.app:/callback';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;
  beforeAll(async () => {
    journey = await startJourney(server);
  });

  async function allow(url: URL): Promise<Page> {
    let page = await journey.browser.open(url);
    if (page.html.includes('id="sign-in"')) page = await signIn(journey, page);
    return journey.browser.submit(page, 'consent', { decision: 'allow' });
  }

  describe('response_mode=form_post (OAuth 2.0 Form Post Response Mode §2)', () => {
    it('posts the code to the application by a form, with state and issuer (RFC 9207 §2)', async () => {
      const request = await createRequest(journey, MODE);
      const page = await allow(request.url);
      expect([page.status, page.url.origin]).toEqual([200, server.url]);
      const response = responseIn(page);
      expect(response.url).toBe(REDIRECT_URI);
      const tokens = await redeem(journey, request, response);
      expect(tokens.claims()?.sub).toBe(journey.accountId);
    });

    it('submits itself by a script with a fresh nonce, and is not cached', async () => {
      const nonces: (string | undefined)[] = [];
      for (let i = 0; i < 2; i++) {
        const { html, headers } = await allow((await createRequest(journey, MODE)).url);
        const policy = headers.get('content-security-policy')?.split('; ') ?? [];
        const nonce = /<script nonce="([^"]+)">/.exec(html)?.[1];
        expect(policy).toContain(`script-src 'nonce-${nonce}'`);
        expect(policy).toContain("form-action 'self' https:");
        expect(headers.get('cache-control')).toBe('no-store');
        nonces.push(nonce);
      }
      expect(new Set(nonces).size).toBe(2);
      expect(nonces[0]).toMatch(/^[\w+/]{22}==$/);
    });

    it('returns errors by a form as well (§2)', async () => {
      const wrong = await createRequest(journey, { ...MODE, scope: 'openid root' });
      const page = await journey.browser.open(wrong.url);
      expect(page.status).toBe(400);
      const fields = { state: wrong.state, iss: server.url };
      expect(await fieldsIn(page)).toMatchObject({ ...fields, error: 'invalid_scope' });
      const { url } = await createRequest(journey, MODE);
      const denied = await journey.browser.submit(await journey.browser.open(url), 'consent', {
        decision: 'deny',
      });
      expect(await fieldsIn(denied)).toMatchObject({ error: 'access_denied', iss: server.url });
    });

    it('works for a pushed request (RFC 9126)', async () => {
      const request = await createRequest(journey, MODE);
      const parameters = Object.fromEntries(request.url.searchParams);
      const authentication = basic(journey.clientId, journey.clientSecret);
      const { request_uri } = await push(server, parameters, authentication);
      const query = new URLSearchParams({ client_id: journey.clientId, request_uri });
      const page = await allow(new URL(`/auth?${query}`, server.url));
      expect((await redeem(journey, request, responseIn(page))).access_token).toBeDefined();
    });

    it('is rejected with a redirect for a private-use redirect URI (RFC 8252 §7.1)', async () => {
      const app = await startJourney(server, { type: 'native', redirectUri: APP_URI });
      for (const changes of [{}, { scope: 'openid root' }]) {
        const { url } = await createRequest(app, { ...MODE, redirect_uri: APP_URI, ...changes });
        const answer = await app.browser.open(url);
        expect([answer.status, answer.url.protocol]).toEqual([0, 'com.example.app:']);
        const error = 'scope' in changes ? 'invalid_scope' : 'invalid_request';
        expect(answer.url.searchParams.get('error')).toBe(error);
      }
      const { url } = await createRequest(app, { ...MODE, redirect_uri: APP_URI });
      const pushed = await push(server, Object.fromEntries(url.searchParams));
      expect(pushed).toMatchObject({ status: 400, error: 'invalid_request' });
      expect(pushed).toHaveProperty('error_description', expect.stringContaining('response_mode'));
    });
  });

  describe('an authorization request', () => {
    it.each(['web_message', 'fragment.jwt'])(
      'for the response mode %s is rejected with a redirect',
      async (mode) => {
        const { url } = await createRequest(journey, { response_mode: mode });
        const answer = await journey.browser.open(url);
        expect([answer.status, answer.url.searchParams.get('error')]).toEqual([
          0,
          'unsupported_response_mode',
        ]);
      },
    );
  });
});

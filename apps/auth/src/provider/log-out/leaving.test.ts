import { useStarted } from '@keydesk/testing';
import { SignJWT } from 'jose';
import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import type { Page } from '../../tests/browser.fixture.ts';
import {
  createRequest,
  type Journey,
  type JourneyOptions,
  LOGGED_OUT_URI,
  REDIRECT_URI,
  signIn,
  startJourney,
} from '../../tests/people.fixture.ts';
import { newClientKey, push } from '../../tests/signing-clients.fixture.ts';
import { basic, startTestServer } from '../../tests/test-server.fixture.ts';

const scopes = ['openid', 'profile', 'email', 'offline_access', 'tickets:read'];
const WRONG = { scope: 'openid root' };

/** Returns the target of the link on the page. */
function continueLinkIn({ html }: Page): string {
  const [, href = ''] = /<a id="go-on"[^>]*href="([^"]*)"/.exec(html) ?? [];
  return href.replaceAll('&amp;', '&');
}

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;

  /** Starts a journey with an application of an unknown developer. */
  const startUnverified = ({ client, ...options }: JourneyOptions = {}) =>
    startJourney(server, { ...options, owner: uuidv7(), client: { scopes, ...client } });
  beforeEach(async () => {
    journey = await startUnverified();
  });

  const open = async (parameters: Readonly<Record<string, string>>, at = journey) =>
    at.browser.open((await createRequest(at, parameters)).url);

  /** Asserts that the page names the application and the target, and does not redirect by itself. */
  function expectConfirmation(page: Page, destination = REDIRECT_URI): void {
    expect(page.url.origin).toBe(server.url);
    expect(page.html).toContain('id="leave"');
    expect(page.html).toContain('Printshop Status');
    expect(page.html).toContain(`<code id="destination">${destination}</code>`);
    expect(page.html).toContain('<meta name="robots" content="noindex">');
    expect(page.html).not.toMatch(/<script|http-equiv/);
    expect(page.headers.get('refresh')).toBeNull();
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(page.headers.get('cache-control')).toBe('no-store');
  }

  describe('before sign-in, an invalid request (RFC 9700 §4.11.2)', () => {
    it('asks before it leads to an unverified application, which gets the usual error', async () => {
      const { url, state } = await createRequest(journey, WRONG);
      const page = await journey.browser.open(url);
      expectConfirmation(page);
      expect(page.status).toBe(400);
      const answer = new URL(continueLinkIn(page));
      expect(answer.origin + answer.pathname).toBe(REDIRECT_URI);
      const trusted = await startJourney(server);
      const redirect = await trusted.browser.open((await createRequest(trusted, { ...WRONG, state })).url);
      expect(answer.href).toBe(redirect.url.href);
      expect(Object.fromEntries(answer.searchParams)).toMatchObject({
        error: 'invalid_scope',
        state,
        iss: server.url,
      });
    });

    it.each([
      ['with an unsupported response type', { response_type: 'token' }],
      ['without PKCE', { code_challenge: '', code_challenge_method: '' }],
      ['for another API', { resource: 'https://other.example' }],
      ['with prompt=none among others', { prompt: 'none login' }],
    ])('%s asks as well', async (_, parameters) => {
      expectConfirmation(await open(parameters));
    });

    it('with a form response asks, and posts the error when the button is pressed', async () => {
      const page = await open({ ...WRONG, response_mode: 'form_post' });
      expectConfirmation(page);
      expect(page.html).toContain(`<form id="response" method="post" action="${REDIRECT_URI}">`);
      expect(page.html).toContain('<input type="hidden" name="error" value="invalid_scope">');
      expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https:");
    });

    it('that was pushed asks when the browser presents it', async () => {
      const parameters = Object.fromEntries((await createRequest(journey)).url.searchParams);
      const { request_uri } = await push(server, parameters, basic(journey.clientId, journey.clientSecret));
      await server.clients.edit(
        journey.clientId,
        { name: 'Printshop Status', redirectUris: [REDIRECT_URI], scopes: ['tickets:write'] },
        1,
      );
      const query = new URLSearchParams({ client_id: journey.clientId, request_uri });
      expectConfirmation(await journey.browser.open(`/auth?${query}`));
    });

    it('that is signed asks, with a valid signature or without', async () => {
      const { kid, alg, key, jwks } = await newClientKey();
      const signer = await startUnverified({ client: { jwks } });
      for (const signingKey of [key, (await newClientKey()).key]) {
        const { url } = await createRequest(signer, WRONG);
        const request = await new SignJWT(Object.fromEntries(url.searchParams))
          .setProtectedHeader({ alg, kid })
          .setIssuer(signer.clientId)
          .setAudience(server.url)
          .setNotBefore('0s')
          .setExpirationTime('1m')
          .sign(signingKey);
        const query = new URLSearchParams({
          client_id: signer.clientId,
          response_type: 'code',
          redirect_uri: REDIRECT_URI,
          scope: 'openid',
          request,
        });
        expectConfirmation(await signer.browser.open(`/auth?${query}`));
      }
    });

    it('asks before it opens an app with a private-use scheme', async () => {
      const redirectUri = 'com.example.app:/callback';
      const app = await startUnverified({ type: 'native', redirectUri });
      const page = await open({ ...WRONG, redirect_uri: redirectUri }, app);
      expectConfirmation(page, redirectUri);
      expect(continueLinkIn(page)).toMatch(/^com\.example\.app:\/callback\?error=invalid_scope&/);
    });

    it('asks after the user has cancelled the sign-in', async () => {
      const page = await open({ prompt: 'login' });
      const cancelled = await journey.browser.open(`${page.url.pathname}/cancel`);
      expectConfirmation(cancelled);
      expect([cancelled.status, cancelled.html.includes('You cancelled')]).toEqual([200, true]);
      expect(new URL(continueLinkIn(cancelled)).searchParams.get('error')).toBe('access_denied');
    });

    it('redirects to an application that the operator owns or has verified', async () => {
      await server.clients.setVerified(journey.clientId, true);
      const owned = await startJourney(server);
      await server.clients.setVerified(owned.clientId, false);
      for (const at of [journey, owned]) expect((await open(WRONG, at)).url.href).toContain(REDIRECT_URI);
    });

    it('redirects if it must not show a page (prompt=none)', async () => {
      const silent = await open({ prompt: 'none' });
      expect(silent.url.searchParams.get('error')).toBe('login_required');
    });
  });

  describe('an invalid request of a signed-in user', () => {
    beforeEach(async () => {
      await signIn(journey, await open({}));
    });

    it('redirects', async () => {
      expect((await open(WRONG)).url.searchParams.get('error')).toBe('invalid_scope');
    });

    it('asks after the account was disabled', async () => {
      await server.accounts.disable(journey.accountId, { address: 'cli', actor: 'operator' });
      expectConfirmation(await open(WRONG));
    });
  });

  describe('a log-out without a session (RFC 9700 §4.11.2, RP-Initiated Logout §3)', () => {
    const logOut = (at: Journey) => {
      const asked = { client_id: at.clientId, post_logout_redirect_uri: LOGGED_OUT_URI, state: 'a&b' };
      return at.browser.open(`/session/end?${new URLSearchParams(asked)}`);
    };

    it('asks before it leads to an unverified application', async () => {
      const page = await logOut(journey);
      expectConfirmation(page, LOGGED_OUT_URI);
      expect(page.status).toBe(200);
      expect(continueLinkIn(page)).toBe(`${LOGGED_OUT_URI}?state=a%26b`);
    });

    it('redirects to a verified application', async () => {
      await server.clients.setVerified(journey.clientId, true);
      expect((await logOut(journey)).url.href).toBe(`${LOGGED_OUT_URI}?state=a%26b`);
    });
  });
});

import { useStarted } from '@keydesk/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import type { Page } from '../../tests/browser.fixture.ts';
import {
  authorize,
  createRequest,
  type Journey,
  REDIRECT_URI,
  signIn,
  startJourney,
} from '../../tests/people.fixture.ts';
import { basic, password, startTestServer } from '../../tests/test-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;
  beforeAll(async () => {
    journey = await startJourney(server);
  });

  /** Opens a valid request with some parameters replaced or, if `undefined`, removed. */
  async function request(changes: Readonly<Record<string, string | undefined>>): Promise<Page> {
    const { url } = await createRequest(journey);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    return journey.browser.open(url);
  }

  /** Returns the response parameters of a URL, from its query or fragment. */
  const answerIn = (url: URL) =>
    Object.fromEntries([...url.searchParams, ...new URLSearchParams(url.hash.slice(1))]);

  describe('an authorization request', () => {
    it.each([
      [
        'has no PKCE challenge (RFC 9700 §2.1.1)',
        { code_challenge: undefined, code_challenge_method: undefined },
        'invalid_request',
      ],
      ['has a plain challenge (RFC 9700 §2.1.1)', { code_challenge_method: 'plain' }, 'invalid_request'],
      [
        'omits S256, which makes it plain (RFC 7636 §4.3)',
        { code_challenge_method: undefined },
        'invalid_request',
      ],
      ['requests an unknown scope (RFC 6749 §4.1.2.1)', { scope: 'openid root' }, 'invalid_scope'],
      ['requests a disallowed scope', { scope: 'openid tickets:delete' }, 'invalid_scope'],
      ['requests its code in a fragment (RFC 6749 §4.1.2)', { response_mode: 'fragment' }, 'invalid_request'],
      [
        'requests that for a repeated response type',
        { response_mode: 'fragment', response_type: 'code code' },
        'invalid_request',
      ],
      ['requests another API (RFC 8707 §2)', { resource: 'https://other.example' }, 'invalid_target'],
      [
        'is a request object by reference',
        { request_uri: 'https://app.example/r' },
        'request_uri_not_supported',
      ],
    ])(
      'that %s gets an error at the redirect URI, with the issuer (RFC 9207 §2)',
      async (_, changes, error) => {
        const { url } = await request(changes);
        expect(url.origin + url.pathname).toBe(REDIRECT_URI);
        expect(answerIn(url)).toMatchObject({
          error,
          iss: server.url,
          state: expect.any(String),
        });
        expect(answerIn(url)).not.toHaveProperty('code');
      },
    );

    it.each(['token', 'id_token', 'code token', 'none', 'spell'])(
      'with the response type %s is rejected with that error (RFC 9700 §2.1.2, RFC 6749 §4.2.2.1)',
      async (response_type) => {
        const { url } = await request({ response_type });
        expect(url.origin + url.pathname).toBe(REDIRECT_URI);
        expect(answerIn(url)).toMatchObject({ error: 'unsupported_response_type', iss: server.url });
      },
    );

    it.each([
      ['another redirect URI', { redirect_uri: 'https://evil.example/' }, 'error-redirect-uri-mismatch'],
      [
        'a redirect URI with an extra path segment',
        { redirect_uri: `${REDIRECT_URI}/more` },
        'error-redirect-uri-mismatch',
      ],
      ['a redirect URI with a query', { redirect_uri: `${REDIRECT_URI}?a=b` }, 'error-redirect-uri-mismatch'],
      ['no redirect URI', { redirect_uri: undefined }, 'error-invalid-request'],
      ['an unknown client', { client_id: 'nobody' }, 'error-unknown-client'],
      ['no client', { client_id: undefined }, 'error-invalid-request'],
    ])(
      'with %s shows an error page instead of redirecting (RFC 9700 §4.1.3, §4.11)',
      async (_, changes, id) => {
        const page = await request(changes);
        expect([page.status, page.url.origin]).toEqual([400, server.url]);
        expect(page.html).toContain(`id="${id}"`);
        expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      },
    );

    it('that the user denies or cancels returns access_denied (RFC 6749 §4.1.2.1)', async () => {
      const signInPage = await request({ prompt: 'login' });
      const cancelled = await journey.browser.open(`${signInPage.url.pathname}/cancel`);
      const consent = await signIn(journey, await request({}));
      const denied = await journey.browser.submit(consent, 'consent', { decision: 'deny' });
      const undecided = await journey.browser.submit(await request({}), 'consent', { decision: '' });
      for (const { url } of [cancelled, denied, undecided])
        expect(Object.fromEntries(url.searchParams)).toMatchObject({
          error: 'access_denied',
          iss: server.url,
        });
    });
  });

  describe('a code', () => {
    /** Creates a code and returns the form that redeems it. */
    async function newCode() {
      const made = await createRequest(journey);
      const callback = await authorize(journey, made);
      const code = callback.searchParams.get('code') ?? '';
      return {
        grant_type: 'authorization_code',
        code,
        code_verifier: made.verifier,
        redirect_uri: REDIRECT_URI,
      };
    }
    const redeemAs = async ({ clientId, clientSecret }: Journey, form: Record<string, string>) => {
      const response = await server.requestToken(form, basic(clientId, clientSecret));
      const body = (await response.json()) as { error?: string; refresh_token?: string };
      return { status: response.status, ...body };
    };

    it.each([
      ['another verifier (RFC 7636 §4.6)', { code_verifier: 'v'.repeat(43) }],
      ['another redirect URI (RFC 6749 §4.1.3)', { redirect_uri: 'https://evil.example/' }],
    ])('is invalid with %s', async (_, changes) => {
      const answer = await redeemAs(journey, { ...(await newCode()), ...changes });
      expect([answer.status, answer.error]).toEqual([400, 'invalid_grant']);
    });

    it('is invalid without its verifier (RFC 9700 §4.8.2: no PKCE downgrade)', async () => {
      const { code_verifier: _, ...form } = await newCode();
      expect((await redeemAs(journey, form)).error).toBe('invalid_grant');
    });

    it('expires after a minute (RFC 6749 §4.1.2)', async () => {
      await newCode();
      const codesAfter = async (seconds: number) => {
        const then = new Date(Date.now() + seconds * 1_000);
        const live = await storage.get().artifacts.findByModel('AuthorizationCode', then, 1_000);
        return live.filter(({ accountId }) => accountId === journey.accountId);
      };
      expect(await codesAfter(30)).not.toEqual([]);
      expect(await codesAfter(61)).toEqual([]);
    });

    it('is invalid for another client (RFC 6749 §4.1.3)', async () => {
      const other = await startJourney(server);
      expect((await redeemAs(other, await newCode())).error).toBe('invalid_grant');
    });

    it('revokes everything issued for it on second use (RFC 6749 §4.1.2, RFC 9700 §4.14.2)', async () => {
      const form = await newCode();
      const first = await redeemAs(journey, form);
      expect((await redeemAs(journey, form)).error).toBe('invalid_grant');
      const refreshment = { grant_type: 'refresh_token', refresh_token: first.refresh_token ?? '' };
      expect((await redeemAs(journey, refreshment)).error).toBe('invalid_grant');
    });

    it('is redeemed by exactly one of ten concurrent requests (RFC 6749 §4.1.2)', async () => {
      const form = await newCode();
      const answers = await Promise.all(Array.from({ length: 10 }, () => redeemAs(journey, form)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(400)]);
    });
  });

  describe('the forms of an interaction', () => {
    it.each(['', 'wrong', 'A'.repeat(43)])(
      'have no effect with the token "%s" (RFC 9700 §4.7.1, CSRF)',
      async (csrf) => {
        journey = await startJourney(server);
        const page = await request({});
        const refused = await journey.browser.submit(page, 'sign-in', {
          email: journey.email,
          password,
          csrf,
        });
        expect([refused.status, refused.html.includes('id="sign-in"')]).toEqual([403, true]);
        const consent = await signIn(journey, refused);
        const again = await journey.browser.submit(consent, 'consent', { decision: 'allow', csrf });
        expect([again.status, again.html.includes('id="consent"')]).toEqual([403, true]);
      },
    );

    it('have no effect with the token of another interaction', async () => {
      const [mine, other] = [await request({ prompt: 'login' }), await request({ prompt: 'login' })];
      const csrf = /name="csrf" value="([^"]*)"/.exec(other.html)?.[1] ?? '';
      expect((await journey.browser.submit(mine, 'sign-in', { csrf })).status).toBe(403);
    });

    it('show an error page in another browser and after the interaction has ended', async () => {
      const page = await request({ prompt: 'login' });
      const { browser: stranger } = await startJourney(server);
      const seen = await stranger.open(page.url);
      expect([seen.status, seen.html.includes('error-interaction-expired')]).toEqual([400, true]);
      await signIn(journey, page);
      const late = await journey.browser.open(page.url);
      expect([late.status, late.html.includes('error-interaction-expired')]).toEqual([400, true]);
    });

    it('link to the application, if it is known, and to the account after they have ended', async () => {
      journey = await startJourney(server, { client: { homePage: 'https://printshop.example/' } });
      const page = await request({ prompt: 'login' });
      await signIn(journey, page);
      const { browser: stranger } = await startJourney(server);
      const resumed = page.url.pathname.replace('/interaction/', '/auth/');
      for (const path of [page.url.pathname, resumed]) {
        const { html } = await journey.browser.open(path);
        expect(html).toMatch(/href="https:\/\/printshop\.example\/"[^>]* id="application"/);
        expect(html).toContain('id="account"');
        const seen = await stranger.open(path);
        expect(seen.html).not.toContain('printshop.example');
        expect(seen.html).toContain('id="account"');
      }
    });

    it('respond alike to a wrong password and an unknown address, and keep the input', async () => {
      journey = await startJourney(server);
      const page = await request({});
      for (const email of [journey.email, 'nobody@example.org']) {
        const answer = await journey.browser.submit(page, 'sign-in', { email, password: 'wrong password' });
        expect(answer.status).toBe(400);
        expect(answer.html).toContain(`value="${email}"`);
        expect(answer.html).toContain('The e-mail address or the password is not right.');
        expect(answer.html).not.toContain('wrong password');
      }
    });

    it('allow at most ten of 50 parallel password guesses (RFC 6819 §4.4.3.6)', async () => {
      journey = await startJourney(server);
      const page = await request({});
      const guess = (i: number) =>
        journey.browser.submit(page, 'sign-in', { email: journey.email, password: `guess number ${i}` });
      const statuses = (await Promise.all(Array.from({ length: 50 }, (_, i) => guess(i)))).map(
        ({ status }) => status,
      );
      expect(statuses.filter((status) => status === 400)).toHaveLength(10);
      expect(statuses.filter((status) => status === 429)).toHaveLength(40);
      expect((await signIn(journey, page)).status).toBe(429);
    });
  });

  describe('every page', () => {
    it('runs only our scripts, cannot be framed, is not cached, and posts only to us and to https', async () => {
      const { headers } = await request({ prompt: 'login' });
      const policy = headers.get('content-security-policy')?.split('; ');
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "form-action 'self' https:",
          "frame-ancestors 'none'",
          "base-uri 'none'",
        ]),
      );
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    });

    it('has styles that are cached as immutable', async () => {
      const { html } = await request({ prompt: 'login' });
      const path = /href="(\/assets\/[^"]*\.css)"/.exec(html)?.[1] ?? '';
      const { status, headers } = await fetch(server.url + path);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
      expect(headers.get('cache-control')).toContain('immutable');
    });

    it('uses the language the application requests, or the one the user has chosen since', async () => {
      const german = await request({ prompt: 'login', ui_locales: 'de-AT' });
      expect(german.html).toContain('<html lang="de">');
      const english = await journey.browser.open(`${german.url.pathname}?lang=en`);
      expect(english.html).toContain('<html lang="en">');
      expect((await request({ prompt: 'login', ui_locales: 'de' })).html).toContain('<html lang="en">');
    });
  });

  it('logs no code, password, token or cookie (OWASP ASVS 5.0 §16.2.5)', () => {
    expect(server.logged()).not.toContain(password);
    expect(server.logged()).not.toMatch(/"(code|csrf|cookie|refresh_token)"/);
  });
});

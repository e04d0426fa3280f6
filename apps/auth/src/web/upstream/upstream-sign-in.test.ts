import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { setUpApp } from '../../tests/authenticator-app.fixture.ts';
import { createBrowser } from '../../tests/browser.fixture.ts';
import { createRequest, redeem, startJourney } from '../../tests/people.fixture.ts';
import { password } from '../../tests/test-server.fixture.ts';
import type { Misbehavior } from './hostile-provider.fixture.ts';
import {
  isSignedIn,
  newAddress,
  newUser,
  noticeOf,
  signIn,
  signInAs,
  useUpstreamServer,
} from './upstream-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const used = useUpstreamServer(storage);

  describe('a sign-in at a provider (OpenID Connect Core §3.1)', () => {
    it('is offered on the sign-in page and opens an account for a new user', async () => {
      const browser = createBrowser(used.server.url);
      const page = await browser.open('/sign-in');
      expect(page.html).toContain('Continue with Acme Directory');
      const email = newAddress();
      used.upstream.user = newUser(email);
      const account = await signIn(used, browser);
      expect(isSignedIn(account)).toBe(true);
      expect(account.html).toContain(email);
      const stored = await used.server.accounts.findByEmail(email);
      expect(stored).toMatchObject({ emailVerified: true, passwordHash: null, profile: { name: 'Ada' } });
    });

    it('sends PKCE, state and nonce, and nothing that the user has typed (RFC 9700 §2.1.1)', async () => {
      await signInAs(used, newUser(newAddress()));
      const sent = Object.fromEntries(used.upstream.lastRequest());
      expect(sent).toMatchObject({
        response_type: 'code',
        code_challenge_method: 'S256',
        redirect_uri: `${used.server.url}/sign-in/with/acme/callback`,
        scope: 'openid email profile',
      });
      for (const name of ['state', 'nonce', 'code_challenge']) expect(sent[name]?.length).toBeGreaterThan(40);
    });

    it('returns to the same account, by issuer and subject, when the address has changed (§5.7)', async () => {
      const user = newUser(newAddress());
      await signInAs(used, user);
      const before = await used.server.accounts.findByEmail(user.email ?? '');
      const renamed = newAddress();
      const page = await signInAs(used, { ...user, email: renamed });
      expect(page.html).toContain(user.email);
      expect(await used.server.accounts.findByEmail(renamed)).toBeUndefined();
      expect(before?.id).toBe((await used.server.accounts.findByEmail(user.email ?? ''))?.id);
    });

    it('continues at the page that required it', async () => {
      used.upstream.user = newUser(newAddress());
      const page = await signIn(used, createBrowser(used.server.url), '?return_to=/account/name');
      expect(page.url.pathname).toBe('/account/name');
      const hostile = await signIn(used, createBrowser(used.server.url), '?return_to=//evil.example');
      expect(hostile.url.origin).toBe(used.server.url);
    });

    it('continues after the provider has rotated its keys (§10.1.1)', async () => {
      await signInAs(used, newUser(newAddress()));
      await used.upstream.rotateKey();
      expect(isSignedIn(await signInAs(used, newUser(newAddress())))).toBe(true);
    });

    it('is recorded without the address', async () => {
      const email = newAddress();
      await signInAs(used, newUser(email));
      const account = await used.server.accounts.findByEmail(email);
      const records = await storage.get().audit.list({ accountId: account?.id, limit: 10 });
      expect(records.map(({ type }) => type)).toEqual(
        expect.arrayContaining(['account.signed_up', 'account.identity_linked']),
      );
      expect(JSON.stringify(records)).not.toContain(email);
    });

    it('opens one account when two browsers sign in concurrently', async () => {
      const email = newAddress();
      used.upstream.user = newUser(email);
      const browsers = Array.from({ length: 4 }, () => createBrowser(used.server.url));
      const pages = await Promise.all(browsers.map((browser) => signIn(used, browser)));
      expect(pages.filter(isSignedIn).length).toBeGreaterThan(0);
      const account = await used.server.accounts.findByEmail(email);
      expect(await used.server.accounts.listIdentities(account?.id ?? '')).toHaveLength(1);
    });
  });

  describe('a response that does not belong to the request', () => {
    const cases: [string, Misbehavior][] = [
      ['another issuer in the ID token (Core §3.1.3.7 no. 2)', { idToken: { iss: 'https://evil.example' } }],
      ['another audience (no. 3)', { idToken: { aud: 'another' } }],
      ['several audiences without an authorized party (no. 4)', { idToken: { aud: ['keydesk', 'b'] } }],
      ['a signature by an unknown key (no. 6)', { hasOtherKey: true }],
      ['the algorithm none (no. 7)', { algorithm: 'none' }],
      ['the algorithm HS256 with the client secret (no. 7)', { algorithm: 'HS256' }],
      ['another algorithm than the configured one (no. 7)', { algorithm: 'ES256' }],
      ['an expired ID token (no. 9)', { idToken: { exp: 1_000, iat: 900 } }],
      ['another nonce (no. 11)', { idToken: { nonce: 'another' } }],
      ['no nonce (no. 11)', { idToken: { nonce: undefined } }],
      ['no subject (§2)', { idToken: { sub: undefined } }],
      ['another issuer in the response (RFC 9207 §2.4)', { response: { iss: 'https://evil.example' } }],
      ['no issuer in the response (RFC 9207 §2.4)', { response: { iss: undefined } }],
      ['an unknown code', { response: { code: 'another' } }],
      ['an error', { response: { error: 'server_error', code: undefined } }],
    ];

    it.each(cases)('is refused: %s', async (_case, misbehavior) => {
      const email = newAddress();
      used.upstream.misbehavior = misbehavior;
      const page = await signInAs(used, newUser(email));
      expect(page.url.pathname).toBe('/sign-in');
      expect(noticeOf(page)).toMatch(/^The sign-in with .*Acme Directory.* failed/);
      expect(await used.server.accounts.findByEmail(email)).toBeUndefined();
    });

    it.each(['another', undefined])('is refused with the state %s (RFC 6749 §10.12)', async (state) => {
      const email = newAddress();
      used.upstream.misbehavior = { response: { state } };
      const page = await signInAs(used, newUser(email));
      expect(page.url.pathname).toBe('/sign-in');
      expect(noticeOf(page)).toContain('begun in another browser');
      expect(await used.server.accounts.findByEmail(email)).toBeUndefined();
    });

    it('is refused from another provider (RFC 9700 §4.4, mix-up)', async () => {
      const browser = createBrowser(used.server.url);
      used.upstream.user = newUser(newAddress());
      const left = await browser.open('/sign-in/with/acme');
      const callback = await used.upstream.authorize(left.url);
      callback.pathname = '/sign-in/with/other/callback';
      expect(noticeOf(await browser.open(callback))).toContain('begun in another browser');
    });

    it('is refused in another browser, and a second time (RFC 9700 §4.7)', async () => {
      const browser = createBrowser(used.server.url);
      used.upstream.user = newUser(newAddress());
      const left = await browser.open('/sign-in/with/acme');
      const callback = await used.upstream.authorize(left.url);
      const stranger = await createBrowser(used.server.url).open(callback);
      expect(noticeOf(stranger)).toContain('begun in another browser');
      expect(isSignedIn(await browser.open(callback))).toBe(true);
      expect(noticeOf(await browser.open(callback))).toContain('begun in another browser');
    });

    it('is refused after ten minutes', async () => {
      const browser = createBrowser(used.server.url);
      used.upstream.user = newUser(newAddress());
      const callback = await used.upstream.authorize((await browser.open('/sign-in/with/acme')).url);
      used.server.time.ahead += 601_000;
      expect(noticeOf(await browser.open(callback))).toContain('took too long');
    });

    it('leaves no claim of the user in the log', async () => {
      const email = newAddress();
      used.upstream.misbehavior = { idToken: { nonce: 'another' } };
      await signInAs(used, newUser(email));
      expect(used.server.logged()).toContain('sign-in at a provider failed');
      expect(used.server.logged()).not.toContain(email);
    });
  });

  describe('a provider that fails', () => {
    it('costs only its own button', async () => {
      used.other.misbehavior = { status: 503 };
      const browser = createBrowser(used.server.url);
      const page = await browser.open('/sign-in/with/other');
      expect(page.url.pathname).toBe('/sign-in');
      expect(noticeOf(page)).toContain('Other');
      const { email } = await used.server.addAccount();
      expect(isSignedIn(await browser.submit(page, 'sign-in', { email, password }))).toBe(true);
      used.other.misbehavior = {};
    });

    it('may refuse: the user can choose another way', async () => {
      used.upstream.misbehavior = { response: { error: 'access_denied', code: undefined } };
      expect(noticeOf(await signInAs(used, newUser(newAddress())))).toContain('cancelled');
    });

    it.each(['/sign-in/with/nobody', '/sign-in/with/nobody/callback'])('is unknown: %s', async (path) => {
      expect((await createBrowser(used.server.url).open(path)).status).toBe(404);
    });
  });

  describe('the second factor', () => {
    const openAgent = (email: string, claims: object) =>
      used.server.addAccount({ email, role: 'agent' }).then(() => signInAs(used, newUser(email, claims)));

    it('is asked for if the provider states no several factors (RFC 8176)', async () => {
      for (const claims of [{}, { amr: ['pwd'] }, { acr: 'silver' }]) {
        const page = await openAgent(newAddress(), claims);
        expect(page.url.pathname).toBe('/sign-in/second-factor');
      }
    });

    it('that is set up on the spot does not renew an old authentication (OpenID Connect Core §2, auth_time)', async () => {
      const journey = await startJourney(used.server);
      const email = newAddress();
      await used.server.addAccount({ email, role: 'agent' });
      const authTime = Math.floor(Date.now() / 1000) - 5_000;
      used.upstream.user = newUser(email, { auth_time: authTime });
      const request = await createRequest(journey, { idp_hint: 'acme', prompt: '' });
      const left = await journey.browser.open(request.url);
      const page = await journey.browser.open(await used.upstream.authorize(left.url));
      const { shown } = await setUpApp(journey.browser, page, used.server);
      const consent = await journey.browser.submit(shown, 'continue');
      const done = await journey.browser.submit(consent, 'consent', { decision: 'allow' });
      expect((await redeem(journey, request, done.url)).claims()).toMatchObject({ auth_time: authTime });
      const asked = await journey.browser.open('/account/two-step/app');
      expect(asked.url.searchParams.get('prompt')).toBe('login');
    });

    it('is not asked for if a trusted provider states several factors', async () => {
      for (const claims of [{ amr: ['pwd', 'mfa'] }, { acr: 'gold' }])
        expect(isSignedIn(await openAgent(newAddress(), claims))).toBe(true);
    });
  });

  describe('an application (OpenID Connect Core §3.1.2)', () => {
    it('gets the methods and the time of a trusted provider, and its own request back', async () => {
      const journey = await startJourney(used.server);
      const request = await createRequest(journey, { idp_hint: 'acme', prompt: '' });
      const authTime = Math.floor(Date.now() / 1000) - 1_000;
      used.upstream.user = newUser(newAddress(), {
        amr: ['pwd', 'nonsense'],
        acr: 'gold',
        auth_time: authTime,
      });
      const left = await journey.browser.open(request.url);
      expect(left.url.origin).toBe(used.upstream.issuer);
      const consent = await journey.browser.open(await used.upstream.authorize(left.url));
      const done = await journey.browser.submit(consent, 'consent', { decision: 'allow' });
      const claims = (await redeem(journey, request, done.url)).claims();
      expect(claims).toMatchObject({ auth_time: authTime });
      expect(claims?.amr).toEqual(['pwd', 'mfa']);
    });

    it('sends users of a home domain straight to the provider', async () => {
      const journey = await startJourney(used.server);
      for (const hint of [{ domain_hint: 'home.example' }, { login_hint: 'ada@home.example' }]) {
        const request = await createRequest(journey, { prompt: '', ...hint });
        expect((await journey.browser.open(request.url)).url.origin).toBe(used.upstream.issuer);
      }
      const page = await journey.browser.open('/sign-in');
      const left = await journey.browser.submit(page, 'sign-in', { email: 'ada@home.example', password: '' });
      expect(left.url.searchParams.get('login_hint')).toBe('ada@home.example');
    });

    it('that asks for a new authentication does not get an old one', async () => {
      const journey = await startJourney(used.server);
      const asksAgain = { max_age: '60', idp_hint: 'acme' };
      const request = await createRequest(journey, asksAgain);
      used.upstream.user = newUser(newAddress(), { auth_time: Math.floor(Date.now() / 1000) - 5_000 });
      const left = await journey.browser.open(request.url);
      expect(Object.fromEntries(left.url.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' });
      const page = await journey.browser.open(await used.upstream.authorize(left.url));
      expect(noticeOf(page)).toContain('failed');
      expect(page.html).toContain('id="sign-in"');
      // Nor one of unknown age (OpenID Connect Core §3.1.2.1: with max_age, auth_time is required).
      used.upstream.user = newUser(newAddress());
      const unknown = await journey.browser.open((await createRequest(journey, asksAgain)).url);
      const answer = await journey.browser.open(await used.upstream.authorize(unknown.url));
      expect(noticeOf(answer)).toContain('failed');
      expect(answer.html).toContain('id="sign-in"');
      // A user who removes the requirement on the way to the provider does not sign in, either.
      const without = new URL(`${used.server.url}/sign-in/with/acme?return_to=${page.url.pathname}`);
      const silent = await used.upstream.authorize((await journey.browser.open(without)).url);
      expect((await journey.browser.open(silent)).html).toContain('id="sign-in"');
    });
  });
});

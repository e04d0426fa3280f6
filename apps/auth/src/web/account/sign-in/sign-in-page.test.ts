import { useStarted } from '@keydesk/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Account } from '../../../accounts/account/account.ts';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import { setUpApp } from '../../../tests/authenticator-app.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../../tests/browser.fixture.ts';
import { createRequest, startJourney } from '../../../tests/people.fixture.ts';
import { password, startTestServer } from '../../../tests/test-server.fixture.ts';
import { addPasskey, signInByPassword } from '../passkeys/passkey-pages.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));

  async function openAt(path: string): Promise<{ account: Account; browser: Browser; page: Page }> {
    const account = await server.addAccount({ name: 'Ada Lovelace' });
    const browser = createBrowser(server.url);
    return { account, browser, page: await browser.open(path) };
  }
  const signIn = ({ account, browser, page }: { account: Account; browser: Browser; page: Page }) =>
    browser.submit(page, 'sign-in', { email: account.email, password });

  describe('a page that requires a session', () => {
    it('asks for a sign-in and is shown afterwards', async () => {
      const visit = await openAt('/account');
      expect(visit.page.url.pathname).toBe('/sign-in');
      const page = await signIn(visit);
      expect(page.url.pathname).toBe('/account');
      expect(page.html).toContain(visit.account.email);
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.headers.get('content-security-policy')).toMatch(
        /script-src 'self'.*frame-ancestors 'none'/,
      );
    });

    it.each([
      ['was disabled', { status: 'disabled' } as const],
      ['has another credential epoch', { credentialEpoch: 1 }],
    ])('is not shown once the account %s, even if the session exists', async (_what, changes) => {
      const visit = await openAt('/account');
      await signIn(visit);
      const { accounts } = storage.get();
      const stored = (await accounts.find(visit.account.id)) ?? visit.account;
      await accounts.replace({ ...stored, ...changes, version: stored.version + 1 }, stored.version);
      expect((await visit.browser.open('/account')).url.pathname).toBe('/sign-in');
    });

    it('shares the session with authorization requests, in both directions', async () => {
      const journey = await startJourney(server);
      const page = await journey.browser.open('/account');
      await journey.browser.submit(page, 'sign-in', { email: journey.email, password });
      const request = await createRequest(journey);
      expect((await journey.browser.open(request.url)).html).toContain('id="consent"');
    });
  });

  describe('the sign-in page before a change (OWASP ASVS 5.0 §7.5.1)', () => {
    it('offers no other account to a user who is signed in', async () => {
      const visit = await openAt('/sign-in');
      expect(visit.page.html).toContain('id="create-account"');
      await signIn(visit);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 });
      onTestFinished(() => void vi.useRealTimers());
      const page = await visit.browser.open('/account/data');
      expect([page.url.pathname, page.url.searchParams.get('prompt')]).toEqual(['/sign-in', 'login']);
      expect(page.html).not.toContain('id="create-account"');
      const wrong = await visit.browser.submit(page, 'sign-in', {
        email: visit.account.email,
        password: 'no',
      });
      expect([wrong.status, wrong.html.includes('id="create-account"')]).toEqual([400, false]);
    });
  });

  describe('the sign-in page', () => {
    it('reports each empty field', async () => {
      const { browser, page } = await openAt('/sign-in');
      const { status, html } = await browser.submit(page, 'sign-in', { email: ' ', password: '' });
      expect(status).toBe(400);
      expect(html).toContain('id="email-problem"');
      expect(html).toContain('id="password-problem"');
    });

    it.each([
      ['/verify-email?token=x', 'Sign in to confirm your address'],
      ['/confirm-email?token=x', 'Sign in to confirm your new address'],
      ['/account/developer/applications/x', 'Sign in to manage your applications'],
      ['/account', 'Sign in'],
    ])('explains the purpose of the link %s', async (path, title) => {
      const visit = await openAt(path);
      expect(visit.page.html).toContain(`<h1>${title}</h1>`);
      const email = 'nobody@example.org';
      const refused = await visit.browser.submit(visit.page, 'sign-in', { email, password });
      expect(refused.html).toContain(`<h1>${title}</h1>`);
    });

    it.each(['/account/../account?x=1', '/account?x=1'])('returns to %s', async (path) => {
      const visit = await openAt(`/sign-in?return_to=${encodeURIComponent(path)}`);
      const page = await signIn(visit);
      expect(page.url.pathname + page.url.search).toBe('/account?x=1');
    });
  });

  describe('a wrong password (OWASP ASVS 5.0 §6.3.8, enumeration)', () => {
    // Passkeys need a host name.
    const named = useStarted(() => startTestServer(storage.get(), { host: 'localhost' }));

    /** Signs an account in and adds a factor to it. */
    async function addAccountWith(addFactor: (browser: Browser) => Promise<unknown>): Promise<Account> {
      const account = await named.addAccount();
      await addFactor(await signInByPassword(named, account.email));
      return account;
    }

    /** Returns what a browser receives after a wrong password, without what differs at every visit. */
    async function fail(page: string | URL, email: string) {
      const browser = createBrowser(named.url);
      const opened = await browser.open(page);
      const answer = await browser.submit(opened, 'sign-in', { email, password: 'not the right one' });
      const html = answer.html
        .replaceAll(email, '')
        .replaceAll(/ (name="csrf" value|data-request)="[^"]*"/g, '')
        .replaceAll(/\/interaction\/[\w-]+/g, '');
      const { status, redirects, headers } = answer;
      return { status, redirects, html, headers: [...headers.keys()], cookies: browser.cookies() };
    }

    it('is answered alike for an unknown address and for accounts without and with second factors', async () => {
      const journey = await startJourney(named);
      const { id, email: disabled } = await named.addAccount();
      await named.accounts.disable(id, { address: 'cli', actor: 'operator' });
      const withPasskey = await addAccountWith((browser) => addPasskey(browser, named.url));
      const withApp = await addAccountWith(async (browser) => {
        const setUp = await setUpApp(browser, await browser.open('/account/two-step/app'), named);
        expect(setUp.recoveryCodes).toHaveLength(10);
      });
      const emails = [journey.email, disabled, withPasskey.email, withApp.email];
      for (const page of ['/sign-in', (await createRequest(journey)).url]) {
        const unknown = await fail(page, 'unknown@example.org');
        expect([unknown.status, unknown.html.includes('id="problems"')]).toEqual([400, true]);
        for (const email of emails) expect(await fail(page, email)).toEqual(unknown);
      }
    });
  });

  describe('the page after sign-in (RFC 9700 §4.11, open redirection)', () => {
    it.each([
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example/',
      '/.//evil.example/',
      '/\t/evil.example/',
      'javascript:alert(1)',
      'account',
    ])('is never another host: %j', async (target) => {
      const visit = await openAt(`/sign-in?return_to=${encodeURIComponent(target)}`);
      const page = await signIn(visit);
      const again = await visit.browser.open(`/sign-in?return_to=${encodeURIComponent(target)}`);
      for (const { url, status } of [page, again])
        expect([url.href, status]).toEqual([`${server.url}/account`, 200]);
    });
  });

  describe('the session after sign-in (OWASP ASVS 5.0 §7.2.4, session fixation)', () => {
    const cookiesOf = (answer: Response) =>
      answer.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');

    /** Signs in with these cookies; resolves with the new session cookies in the order in which they are set. */
    async function sessionAfter(cookies: readonly string[], account: Account): Promise<string[]> {
      // Without the session cookie, because a session would skip the form.
      const form = await fetch(`${server.url}/sign-in`);
      const csrf = /name="csrf" value="([^"]+)"/.exec(await form.text())?.[1] ?? '';
      const answer = await fetch(`${server.url}/sign-in`, {
        method: 'POST',
        headers: { cookie: [...cookies, ...cookiesOf(form)].join('; ') },
        body: new URLSearchParams({ csrf, email: account.email, password }),
        redirect: 'manual',
      });
      expect(answer.status).toBe(303);
      return cookiesOf(answer).filter((cookie) => cookie.startsWith('session'));
    }

    async function isSignedIn(cookies: readonly string[]): Promise<boolean> {
      const headers = { cookie: cookies.join('; ') };
      return (await fetch(`${server.url}/account`, { headers, redirect: 'manual' })).status === 200;
    }

    it('has a new id and invalidates the previous one', async () => {
      const account = await server.addAccount();
      const first = await sessionAfter([], account);
      expect(await isSignedIn(first)).toBe(true);
      const second = await sessionAfter(first, account);
      expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true]);
    });

    it('is not the session of the account that was signed in before', async () => {
      const [one, other] = [await server.addAccount(), await server.addAccount()];
      const first = await sessionAfter([], one);
      const second = await sessionAfter(first, other);
      expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true]);
    });
  });

  describe('a browser that blocks cookies', () => {
    it('gets an explanation on the sign-in page and in an interaction', async () => {
      const form = await fetch(`${server.url}/sign-in`);
      const csrf = /name="csrf" value="([^"]+)"/.exec(await form.text())?.[1] ?? '';
      const posted = await fetch(`${server.url}/sign-in`, {
        method: 'POST',
        body: new URLSearchParams({ csrf, email: 'ada@example.org', password }),
      });
      expect(posted.status).toBe(403);
      expect(await posted.text()).toContain('id="error-cookies-blocked"');

      const { url } = await createRequest(await startJourney(server));
      const interaction = await fetch(url, { headers: { 'sec-fetch-site': 'cross-site' } });
      expect(interaction.status).toBe(403);
      expect(await interaction.text()).toContain('id="error-cookies-blocked"');
    });
  });

  describe('a form of an account page (RFC 9700 §2.1, CSRF)', () => {
    it('is rejected without a token and with the token of another browser', async () => {
      const visit = await openAt('/sign-in');
      const other = await openAt('/sign-in');
      const foreign = /name="csrf" value="([^"]+)"/.exec(other.page.html)?.[1] ?? '';
      for (const csrf of ['', foreign]) {
        const page = await visit.browser.submit(visit.page, 'sign-in', {
          email: visit.account.email,
          password,
          csrf,
        });
        expect(page.status).toBe(403);
        expect(page.html).toContain('id="error-form-expired"');
      }
      expect((await visit.browser.open('/account')).url.pathname).toBe('/sign-in');
    });
  });
});

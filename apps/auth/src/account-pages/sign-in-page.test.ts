import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../accounts/account.ts';
import { type Browser, createBrowser, type Page } from '../browser.fixture.ts';
import { createRequest, startJourney } from '../people.fixture.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { password, startTestServer, type TestServer } from '../test-server.fixture.ts';

const SESSION = /^session=([^;]+)/;
const operator = { address: 'cli', actor: 'operator' };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(storage.get());
  });
  afterAll(() => server.stop());

  async function openAt(path: string): Promise<{ account: Account; browser: Browser; page: Page }> {
    const account = await server.addAccount({ name: 'Ada Lovelace' });
    const browser = createBrowser(server.url);
    return { account, browser, page: await browser.open(path) };
  }
  const signIn = ({ account, browser, page }: { account: Account; browser: Browser; page: Page }) =>
    browser.submit(page, 'sign-in', { email: account.email, password });

  describe('a page of somebody’s own', () => {
    it('asks who is not signed in to sign in, and is shown then', async () => {
      const visit = await openAt('/account');
      expect(visit.page.url.pathname).toBe('/sign-in');
      const page = await signIn(visit);
      expect(page.url.pathname).toBe('/account');
      expect(page.html).toContain(visit.account.email);
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.headers.get('content-security-policy')).toMatch(
        /script-src 'none'.*frame-ancestors 'none'/,
      );
    });

    it('is shown to nobody whose account was disabled meanwhile', async () => {
      const visit = await openAt('/account');
      await signIn(visit);
      await server.accounts.disable(visit.account.id, operator);
      expect((await visit.browser.open('/account')).url.pathname).toBe('/sign-in');
    });

    it('is open to who signed in on the way to an application, and the other way round', async () => {
      const journey = await startJourney(server);
      const page = await journey.browser.open('/account');
      await journey.browser.submit(page, 'sign-in', { email: journey.email, password });
      const request = await createRequest(journey);
      expect((await journey.browser.open(request.url)).html).toContain('id="consent"');
    });
  });

  describe('signing in to our own pages', () => {
    it('refuses a wrong password and an unknown address by the same page', async () => {
      const visit = await openAt('/sign-in');
      const wrong = await visit.browser.submit(visit.page, 'sign-in', {
        email: visit.account.email,
        password: 'not the right one',
      });
      const unknown = await visit.browser.submit(visit.page, 'sign-in', {
        email: 'nobody@example.org',
        password,
      });
      expect([wrong.status, unknown.status]).toEqual([400, 400]);
      expect(wrong.html.replaceAll(visit.account.email, '')).toBe(
        unknown.html.replaceAll('nobody@example.org', ''),
      );
    });

    it.each(['/account/../account?x=1', '/account?x=1'])('leads back to %s', async (path) => {
      const visit = await openAt(`/sign-in?return_to=${encodeURIComponent(path)}`);
      const page = await signIn(visit);
      expect(page.url.pathname + page.url.search).toBe('/account?x=1');
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
    ])('is never %j', async (target) => {
      const visit = await openAt(`/sign-in?return_to=${encodeURIComponent(target)}`);
      const page = await signIn(visit);
      expect(page).toMatchObject({ status: 200 });
      expect(page.url.href).toBe(`${server.url}/account`);
    });
  });

  describe('the session of who signs in (OWASP ASVS 5.0 §7.2.4, session fixation)', () => {
    async function sessionAfter(cookie: string, account: Account): Promise<string | undefined> {
      const form = await fetch(`${server.url}/sign-in`, { headers: { cookie } });
      const cookies = [cookie, ...form.headers.getSetCookie().map((line) => line.split(';')[0])].join('; ');
      const csrf = /name="csrf" value="([^"]+)"/.exec(await form.text())?.[1] ?? '';
      const answer = await fetch(`${server.url}/sign-in`, {
        method: 'POST',
        headers: { cookie: cookies },
        body: new URLSearchParams({ csrf, email: account.email, password }),
        redirect: 'manual',
      });
      expect(answer.status).toBe(303);
      return answer.headers
        .getSetCookie()
        .map((line) => SESSION.exec(line)?.[1])
        .find(Boolean);
    }

    it('has another id than what the browser had before', async () => {
      const account = await server.addAccount();
      const first = await sessionAfter('', account);
      const second = await sessionAfter(`session=${first}`, account);
      expect(first).toBeDefined();
      expect(second).toBeDefined();
      expect(second).not.toBe(first);
    });
  });

  describe('a browser that keeps no cookies', () => {
    it('is told so, at our own sign-in page and on the way to an application', async () => {
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

  describe('a form of ours (RFC 9700 §2.1, CSRF)', () => {
    it('is refused without a token, and with the token of another browser', async () => {
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

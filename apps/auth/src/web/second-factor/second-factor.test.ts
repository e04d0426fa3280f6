import { useStarted } from '@keydesk/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Account } from '../../accounts/account/account.ts';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { type AuthenticatorApp, setUpApp } from '../../tests/authenticator-app.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../tests/browser.fixture.ts';
import { createRequest, type Journey, redeem, startJourney } from '../../tests/people.fixture.ts';
import { password, startTestServer } from '../../tests/test-server.fixture.ts';
import { startMailbox } from '../account/mailbox.fixture.ts';

const operator = { address: 'cli', actor: 'operator' };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const mailbox = useStarted(startMailbox);
  const server = useStarted(() =>
    startTestServer(storage.get(), {
      config: { ...mailbox.config, secondFactorRequiredFor: ['agent'], signInFailuresPerNetwork: 0 },
    }),
  );

  async function submitPassword(browser: Browser, email: string, path = '/account'): Promise<Page> {
    return browser.submit(await browser.open(path), 'sign-in', { email, password });
  }
  const isSignedIn = async (browser: Browser) => (await browser.open('/account')).url.pathname === '/account';
  const newBrowser = () => createBrowser(server.url);

  interface Agent {
    account: Account;
    browser: Browser;
    app: AuthenticatorApp;
    recoveryCodes: string[];
  }

  /** Adds an agent who has set an authenticator app up and is signed in. */
  async function addAgent(): Promise<Agent> {
    const account = await server.addAccount({ role: 'agent' });
    const browser = newBrowser();
    const { app, shown, recoveryCodes } = await setUpApp(
      browser,
      await submitPassword(browser, account.email),
      server,
    );
    await browser.submit(shown, 'continue');
    return { account, browser, app, recoveryCodes };
  }

  async function typesOf({ id: accountId }: Account): Promise<string[]> {
    const records = await storage.get().audit.list({ accountId, limit: 50 });
    return records.map(({ type }) => type);
  }

  describe('a required second factor (OWASP ASVS 5.0 §6.3.3)', () => {
    it('is set up at the next sign-in, which opens no session before', async () => {
      const { email, id } = await server.addAccount({ role: 'agent' });
      const browser = newBrowser();
      const page = await submitPassword(browser, email);
      expect(page.url.pathname).toBe('/sign-in/second-factor');
      expect(await isSignedIn(browser)).toBe(false);
      const wrong = await browser.submit(page, 'set-up-totp', { code: '12345' });
      expect([wrong.status, wrong.html.includes('id="code-problem"')]).toEqual([400, true]);
      const { shown, recoveryCodes } = await setUpApp(browser, wrong, server);
      expect(new Set(recoveryCodes).size).toBe(10);
      expect(await isSignedIn(browser)).toBe(false);
      const done = await browser.submit(shown, 'continue');
      expect([done.url.pathname, await isSignedIn(browser)]).toEqual(['/account', true]);
      const [latest] = await storage.get().audit.list({ accountId: id, limit: 1 });
      expect(latest).toMatchObject({ type: 'account.signed_in', details: { methods: 'pwd otp mfa' } });
      expect((await mailbox.mailsTo(email))[0]?.body).toContain('authenticator app was set up');
    });

    it('is asked for if an earlier session lacks it, on pages and at the authorization endpoint', async () => {
      const journey = await startJourney(server, { role: 'customer' });
      const { browser, email, accountId } = journey;
      expect((await submitPassword(browser, email)).url.pathname).toBe('/account');
      await server.accounts.setRole(accountId, 'agent', operator);
      const request = await createRequest(journey, { prompt: '' });
      const page = await browser.open(request.url);
      expect([page.html.includes('id="sign-in"'), await isSignedIn(browser)]).toEqual([true, false]);
      const silent = await browser.open((await createRequest(journey, { prompt: 'none' })).url);
      expect(silent.url.searchParams.get('error')).toBe('login_required');
    });

    it('is not skipped by a password reset', async () => {
      const { account, app } = await addAgent();
      const browser = newBrowser();
      await browser.submit(await browser.open('/forgot-password'), 'forgot-password', {
        email: account.email,
      });
      const reset = await browser.open(await mailbox.linkTo(account.email, '/reset-password'));
      const signInPage = await browser.submit(reset, 'reset-password', { password: 'a quiet green harbour' });
      const page = await browser.submit(signInPage, 'sign-in', {
        email: account.email,
        password: 'a quiet green harbour',
      });
      expect(page.url.pathname).toBe('/sign-in/second-factor');
      await browser.submit(page, 'second-factor', { code: app.nextCode() });
      expect(await isSignedIn(browser)).toBe(true);
    });

    it('is not asked of other roles', async () => {
      const { email } = await server.addAccount({ role: 'admin' });
      expect((await submitPassword(newBrowser(), email)).url.pathname).toBe('/account');
    });
  });

  describe('a second step after more than ten minutes', () => {
    const TOO_LATE_MS = 601_000;
    const reason = 'The sign-in took too long';

    it('leads to the sign-in page, which gives the reason once', async () => {
      const { account, app } = await addAgent();
      const browser = newBrowser();
      const page = await submitPassword(browser, account.email);
      server.time.ahead = TOO_LATE_MS;
      const restarted = await browser.submit(page, 'second-factor', { code: app.nextCode() });
      server.time.ahead = 0;
      expect([restarted.url.pathname, restarted.html.includes(reason)]).toEqual(['/sign-in', true]);
      expect((await browser.open('/sign-in')).html).not.toContain(reason);
    });

    it('leads to the sign-in page of the application, which gives the reason', async () => {
      const journey = await startJourney(server, { role: 'agent' });
      const { browser, email } = journey;
      const first = await browser.open((await createRequest(journey)).url);
      const page = await browser.submit(first, 'sign-in', { email, password });
      expect(page.url.pathname).toMatch(/second-factor$/);
      server.time.ahead = TOO_LATE_MS;
      const restarted = await browser.open(page.url);
      server.time.ahead = 0;
      expect([restarted.url.href, restarted.html.includes(reason)]).toEqual([first.url.href, true]);
    });

    it('says nothing about it to a user who has signed in in another tab', async () => {
      const { account, app } = await addAgent();
      const browser = newBrowser();
      const page = await submitPassword(browser, account.email);
      await browser.submit(page, 'second-factor', { code: app.nextCode() });
      const again = await browser.open(page.url);
      expect([again.url.pathname, again.html.includes(reason)]).toEqual(['/account', false]);
    });

    it('gives the reason to a user who is asked again before a change', async () => {
      const { account, app, browser } = await addAgent();
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + TOO_LATE_MS });
      onTestFinished(() => void vi.useRealTimers());
      const page = await submitPassword(browser, account.email, '/account/data');
      expect(page.url.pathname).toBe('/sign-in/second-factor');
      vi.setSystemTime(Date.now() + TOO_LATE_MS);
      const restarted = await browser.submit(page, 'second-factor', { code: app.nextCode() });
      expect(restarted.url.searchParams.get('return_to')).toBe('/account/data');
      expect([restarted.url.pathname, restarted.html.includes(reason)]).toEqual(['/sign-in', true]);
    });
  });

  describe('a code of the authenticator app (RFC 6238 §5.2)', () => {
    it('completes the sign-in once; a wrong or repeated one does not', async () => {
      const { account, app } = await addAgent();
      const code = app.nextCode();
      const browser = newBrowser();
      const page = await submitPassword(browser, account.email);
      const wrong = await browser.submit(page, 'second-factor', { code: app.wrongCode() });
      expect([wrong.status, wrong.html.includes('id="code-problem"')]).toEqual([400, true]);
      const empty = await browser.submit(wrong, 'second-factor', { code: ' ' });
      expect([empty.status, await isSignedIn(browser)]).toEqual([400, false]);
      const done = await browser.submit(page, 'second-factor', {
        code: ` ${code.slice(0, 3)} ${code.slice(3)} `,
      });
      expect([done.url.pathname, await isSignedIn(browser)]).toEqual(['/account', true]);
      const other = newBrowser();
      const again = await submitPassword(other, account.email);
      expect((await other.submit(again, 'second-factor', { code })).status).toBe(400);
      expect(await typesOf(account)).toEqual(expect.arrayContaining(['account.second_factor_failed']));
    });

    it('may be one time step early or late, not two', async () => {
      const { account, app } = await addAgent();
      // Later steps than that of the set-up.
      server.time.ahead += 120_000;
      const outcomes = [];
      for (const steps of [-2, 2, -1, 1]) {
        const browser = newBrowser();
        const page = await submitPassword(browser, account.email);
        outcomes.push((await browser.submit(page, 'second-factor', { code: app.codeOf(steps) })).status);
      }
      expect(outcomes).toEqual([400, 400, 200, 200]);
    });

    it('works for one of 20 concurrent sign-ins in two servers', async () => {
      const { account, app } = await addAgent();
      const second = await startTestServer(await storage.openAnother(), {
        config: { secondFactorRequiredFor: ['agent'], signInFailuresPerAccountAndNetwork: 0 },
      });
      const waiting = [];
      for (let i = 0; i < 20; i += 1) {
        const browser = createBrowser(i % 2 ? server.url : second.url);
        waiting.push({ browser, page: await submitPassword(browser, account.email) });
      }
      second.time.ahead = server.time.ahead + 30_000;
      const code = app.nextCode();
      const answers = await Promise.all(
        waiting.map(({ browser, page }) => browser.submit(page, 'second-factor', { code })),
      );
      expect(answers.filter(({ url }) => url.pathname === '/account')).toHaveLength(1);
      expect(answers.every(({ status }) => status < 500)).toBe(true);
      await second.stop();
    });
  });

  describe('a sign-in that waits for its second factor', () => {
    it.each([
      ['was disabled', { status: 'disabled' } as const],
      ['has another credential epoch', { credentialEpoch: 7 }],
    ])('ends when the account %s', async (_what, changes) => {
      const { account, app } = await addAgent();
      const browser = newBrowser();
      const page = await submitPassword(browser, account.email);
      const { accounts } = storage.get();
      const stored = (await accounts.find(account.id)) ?? account;
      await accounts.replace({ ...stored, ...changes, version: stored.version + 1 }, stored.version);
      const answer = await browser.submit(page, 'second-factor', { code: app.nextCode() });
      expect([answer.url.pathname, await isSignedIn(browser)]).toEqual(['/sign-in', false]);
    });

    it('ends after ten minutes, and is unknown to other browsers', async () => {
      const { account, app } = await addAgent();
      const [browser, stranger] = [newBrowser(), newBrowser()];
      const page = await submitPassword(browser, account.email);
      expect((await stranger.open('/sign-in/second-factor')).url.pathname).toBe('/sign-in');
      server.time.ahead += 10 * 60_000;
      const late = await browser.submit(page, 'second-factor', { code: app.nextCode() });
      expect([late.url.pathname, await isSignedIn(browser)]).toEqual(['/sign-in', false]);
    });

    it('completes once', async () => {
      const { account, app, browser: first } = await addAgent();
      const browser = newBrowser();
      const page = await submitPassword(browser, account.email);
      const cookie = browser.cookies().indexOf('pending-sign-in');
      const value = browser.cookieValues()[cookie];
      await browser.submit(page, 'second-factor', { code: app.nextCode() });
      const headers = { cookie: `pending-sign-in=${value}` };
      const answer = await fetch(`${server.url}/sign-in/second-factor`, { headers, redirect: 'manual' });
      expect([answer.status, await isSignedIn(first)]).toEqual([200, true]);
    });
  });

  describe('the second factor in an authorization request', () => {
    async function askFor(
      journey: Journey,
    ): Promise<{ request: Awaited<ReturnType<typeof createRequest>>; page: Page }> {
      const request = await createRequest(journey);
      const signInPage = await journey.browser.open(request.url);
      const { email } = journey;
      return { request, page: await journey.browser.submit(signInPage, 'sign-in', { email, password }) };
    }

    it('is named in the ID token (RFC 8176 §2, OpenID Connect Core §2)', async () => {
      // Keys are stale for a server whose clock was set forward.
      const own = await startTestServer(storage.get(), { config: { secondFactorRequiredFor: ['agent'] } });
      const journey = await startJourney(own);
      const { request, page } = await askFor(journey);
      expect(page.url.pathname).toMatch(/^\/interaction\/[\w-]+\/second-factor$/);
      expect(page.html).toContain('Printshop Status');
      const { app, shown } = await setUpApp(journey.browser, page, own);
      const consent = await journey.browser.submit(shown, 'continue');
      const { url } = await journey.browser.submit(consent, 'consent', { decision: 'allow' });
      expect((await redeem(journey, request, url)).claims()).toMatchObject({
        amr: ['pwd', 'otp', 'mfa'],
        acr: 'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
      });

      const other = { ...journey, browser: createBrowser(own.url) };
      const again = await askFor(other);
      const policy = again.page.headers.get('content-security-policy');
      expect(policy).toContain("form-action 'self' https:");
      const next = await other.browser.submit(again.page, 'second-factor', { code: app.nextCode() });
      expect(next.html).toContain('id="consent"');
      await own.stop();
    });

    it('can be cancelled', async () => {
      const journey = await startJourney(server);
      const { page } = await askFor(journey);
      const cancel = /href="([^"]+)" id="cancel"/.exec(page.html)?.[1] ?? '';
      expect((await journey.browser.open(cancel)).url.searchParams.get('error')).toBe('access_denied');
    });

    it('does not continue another request', async () => {
      const journey = await startJourney(server);
      const { page } = await askFor(journey);
      const { page: other } = await askFor(journey);
      const answer = await journey.browser.open(page.url);
      expect(answer.url.pathname).toBe(page.url.pathname.replace('/second-factor', ''));
      expect((await journey.browser.open(other.url)).html).toContain('id="set-up-totp"');
    });
  });
});

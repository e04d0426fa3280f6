import * as oauth from 'openid-client';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { type Browser, createBrowser } from '../../tests/browser.fixture.ts';
import { obtainTokens, startJourney } from '../../tests/people.fixture.ts';
import { password } from '../../tests/test-server.fixture.ts';
import { useMailboxServer } from './use-mailbox-server.fixture.ts';

const newPassword = 'another yellow umbrella';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const { server, mailbox } = useMailboxServer(storage);

  async function signIn(email: string, secret = password): Promise<Browser> {
    const browser = createBrowser(server.url);
    await browser.submit(await browser.open('/account'), 'sign-in', { email, password: secret });
    return browser;
  }
  const newEmail = () => `${uuidv7()}@example.org`;
  const isSignedIn = async (browser: Browser) => (await browser.open('/account')).url.pathname === '/account';

  describe('changing the password', () => {
    it('requires the current one, ends all other sessions and notifies the owner', async () => {
      const { email } = await server.addAccount();
      const [browser, elsewhere] = [await signIn(email), await signIn(email)];
      const page = await browser.open('/account/password');
      const fields = { current_password: password, new_password: newPassword };
      const wrong = await browser.submit(page, 'change-password', {
        ...fields,
        current_password: 'not that one',
      });
      expect(wrong.status).toBe(400);
      expect(wrong.html).toContain('id="current_password-problem"');
      const done = await browser.submit(wrong, 'change-password', fields);
      expect(done.url.pathname).toBe('/account');
      expect(done.html).toContain('id="notice"');
      expect(await isSignedIn(browser)).toBe(true);
      expect(await isSignedIn(elsewhere)).toBe(false);
      expect(await isSignedIn(await signIn(email, newPassword))).toBe(true);
      await mailbox.mailsTo(email);
    });

    it('is found by password managers (A Well-Known URL for Changing Passwords §3.1)', async () => {
      const browser = await signIn((await server.addAccount()).email);
      const page = await browser.open('/.well-known/change-password');
      expect([page.redirects, page.url.pathname]).toEqual([[303], '/account/password']);
      expect((await browser.open('/.well-known/nothing-of-the-kind')).status).toBe(404);
    });

    it('rejects an unchanged password and reports each empty field', async () => {
      const { email } = await server.addAccount();
      const browser = await signIn(email);
      const page = await browser.open('/account/password');
      const same = await browser.submit(page, 'change-password', {
        current_password: password,
        new_password: password,
      });
      expect(same.html).toContain('id="new_password-problem"');
      const empty = await browser.submit(page, 'change-password', {});
      expect(empty.html).toContain('id="current_password-problem"');
      expect(empty.html).toContain('id="new_password-problem"');
      const weak = await browser.submit(page, 'change-password', { new_password: 'short' });
      expect(weak.html).toContain('id="current_password-problem"');
      expect(weak.html).toContain('Use at least 10 characters for the password.');
    });
  });

  describe('changing the name', () => {
    it('reaches applications with their next token, without the parts of the old name', async () => {
      const { email, id } = await server.addAccount({ name: 'Ada Byron' });
      const profile = { name: 'Ada Byron', family_name: 'Byron', zoneinfo: 'Europe/London' };
      await server.accounts.setProfile(id, profile, { address: 'cli', actor: 'operator' });
      const browser = await signIn(email);
      const page = await browser.open('/account/name');
      expect(page.html).toContain('value="Ada Byron"');
      const done = await browser.submit(page, 'change-name', { name: ' Ada Lovelace ' });
      expect(done.url.pathname).toBe('/account');
      expect(done.html).toContain('id="notice"');
      expect(done.html).toContain('<bdi>Ada Lovelace</bdi>');
      const account = await storage.get().accounts.find(id);
      expect(account?.profile).toEqual({ name: 'Ada Lovelace', zoneinfo: 'Europe/London' });
      const [record] = await storage.get().audit.list({ accountId: id, limit: 1 });
      expect(record).toMatchObject({ type: 'account.profile_changed', actor: id });
    });

    it('ends the verification of the user’s applications, which show the name', async () => {
      const { email, id } = await server.addAccount({ name: 'Ada Byron' });
      const request = {
        type: 'spa',
        name: 'App',
        scopes: [],
        redirectUris: ['https://app.example/'],
      } as const;
      const { client } = await server.clients.register(request, { id, limit: 1 });
      await server.clients.setVerified(client.id, true);
      const browser = await signIn(email);
      const changeTo = async (name: string) => {
        const { html } = await browser.submit(await browser.open('/account/name'), 'change-name', { name });
        const { isVerified } = await server.clients.get(client.id);
        return { isVerified, isTold: html.includes('has to verify your applications again') };
      };
      expect(await changeTo('Ada Byron')).toEqual({ isVerified: true, isTold: false });
      expect(await changeTo('x'.repeat(201))).toEqual({ isVerified: true, isTold: false });
      expect(await changeTo('A Bank of Your Own')).toEqual({ isVerified: false, isTold: true });
      expect(await changeTo('Another Bank')).toEqual({ isVerified: false, isTold: false });
      const [record] = await storage
        .get()
        .audit.list({ types: ['client.unverified'], accountId: id, limit: 1 });
      expect(record).toMatchObject({ actor: id, clientId: client.id });
    });

    it.each(['', 'x'.repeat(201), 'Ada\u202eByron'])(
      'rejects %j with an explanation and keeps the input',
      async (name) => {
        const { email, id } = await server.addAccount({ name: 'Ada Byron' });
        const browser = await signIn(email);
        const refused = await browser.submit(await browser.open('/account/name'), 'change-name', { name });
        expect([refused.status, refused.html.includes('id="name-problem"')]).toEqual([400, true]);
        expect(refused.html).toContain(`value="${name}"`);
        expect((await storage.get().accounts.find(id))?.profile.name).toBe('Ada Byron');
      },
    );
  });

  describe('changing the e-mail address', () => {
    it('takes effect when the link sent to the new address is confirmed, and notifies the old one', async () => {
      const { email, id } = await server.addAccount();
      const [browser, next] = [await signIn(email), newEmail()];
      const page = await browser.open('/account/email');
      const wait = await browser.submit(page, 'change-email', { email: next, current_password: password });
      expect(wait.url.pathname).toBe('/check-mail');
      expect(wait.html).toContain('href="/account" id="to-account"');
      const confirm = await browser.open(await mailbox.linkTo(next, '/confirm-email'));
      expect(confirm.html).toContain(next);
      expect((await storage.get().accounts.find(id))?.email).toBe(email);
      await browser.submit(confirm, 'verify-email');
      expect((await storage.get().accounts.find(id))?.email).toBe(next);
      expect((await browser.open('/account')).html).toContain(next);
      await mailbox.mailsTo(email, 2);
      const again = await browser.open(await mailbox.linkTo(next, '/confirm-email'));
      expect(again.status).toBe(400);
      expect(again.html).toContain('href="/account/email"');
    });

    it('is rejected if the link is opened in another account', async () => {
      const [{ email }, other] = [await server.addAccount(), await server.addAccount()];
      const [browser, next] = [await signIn(email), newEmail()];
      const page = await browser.open('/account/email');
      await browser.submit(page, 'change-email', { email: next, current_password: password });
      const stranger = await signIn(other.email);
      const refused = await stranger.open(await mailbox.linkTo(next, '/confirm-email'));
      expect(refused.status).toBe(400);
      expect(refused.html).toContain('id="error-invalid-link"');
    });

    it('gets the same answer whether or not the new address belongs to another account', async () => {
      const [{ email }, other] = [await server.addAccount(), await server.addAccount()];
      const browser = await signIn(email);
      const answers = [];
      for (const next of [other.email, newEmail()]) {
        const page = await browser.open('/account/email');
        const fields = { email: next, current_password: password };
        const answer = await browser.submit(page, 'change-email', fields);
        answers.push([answer.status, answer.url.href, answer.html.replaceAll(next, '')]);
      }
      expect(answers[0]).toEqual(answers[1]);
    });

    it('requires the current password and an address that differs from the current one', async () => {
      const { email } = await server.addAccount();
      const browser = await signIn(email);
      const page = await browser.open('/account/email');
      const fields = { email, current_password: 'not that one' };
      const wrong = await browser.submit(page, 'change-email', fields);
      expect(wrong.html).toContain('id="current_password-problem"');
      expect(wrong.html).toContain('id="email-problem"');
      const empty = await browser.submit(page, 'change-email', { email: 'ada@' });
      expect(empty.html).toContain('id="current_password-problem"');
      expect(empty.html).toContain('value="ada@"');
      const same = await browser.submit(page, 'change-email', { email, current_password: password });
      expect(same.html).toContain('id="email-problem"');
    });
  });

  describe('a URL of the server', () => {
    it('that is the root opens the account page', async () => {
      const { email } = await server.addAccount();
      expect((await (await signIn(email)).open('/')).url.pathname).toBe('/account');
    });

    it('that is unknown gets an error page with a link to the account, or a problem document for programs', async () => {
      const page = await createBrowser(server.url).open('/acount');
      expect(page.status).toBe(404);
      expect(page.html).toContain('id="error-not-found"');
      expect(page.html).toContain('href="/account"');
      const response = await fetch(`${server.url}/acount`);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        404,
        expect.stringContaining('application/problem+json'),
      ]);
    });
  });

  describe('signing out', () => {
    it('ends the session, or returns to the account if the user stays', async () => {
      const { email } = await server.addAccount();
      const browser = await signIn(email);
      const page = await browser.open('/session/end');
      expect((await browser.submit(page, 'log-out', {})).url.pathname).toBe('/account');
      const out = await browser.submit(await browser.open('/session/end'), 'log-out', { logout: 'yes' });
      expect(out.html).toContain('href="/sign-in"');
      expect(await isSignedIn(browser)).toBe(false);
    });
  });

  describe('signing out everywhere (CWE-613)', () => {
    it('ends the sessions in every browser and the tokens of every application, but not the account', async () => {
      const journey = await startJourney(server);
      const { browser, application, email, accountId } = journey;
      const { refresh_token: refreshToken = '' } = await obtainTokens(journey);
      const elsewhere = await signIn(email);
      const page = await browser.submit(await browser.open('/account'), 'sign-out-everywhere');
      expect(page.url.pathname).toBe('/sign-in');
      expect(page.html).toContain('id="notice"');
      for (const each of [browser, elsewhere]) expect(await isSignedIn(each)).toBe(false);
      const refresh = oauth.refreshTokenGrant(application, refreshToken);
      await expect(refresh).rejects.toMatchObject({ error: 'invalid_grant' });
      const recorded = await storage.get().audit.list({ accountId, limit: 10 });
      expect(recorded).toContainEqual(
        expect.objectContaining({ type: 'account.signed_out_everywhere', actor: accountId }),
      );
      expect(await isSignedIn(await signIn(email))).toBe(true);
    });
  });

  describe('forms behind a session (RFC 9700 §2.1, CSRF)', () => {
    it.each([
      ['/account/name', 'change-name', { name: 'Mallory' }],
      ['/account/password', 'change-password', { current_password: password, new_password: newPassword }],
      ['/account', 'sign-out-everywhere', {}],
      ['/account/email', 'change-email', { email: 'mallory@example.org', current_password: password }],
    ] as const)(
      'are rejected without a token and with the token of another session: %s',
      async (path, form, fields) => {
        const [{ email }, other] = [await server.addAccount(), await server.addAccount()];
        const [browser, attacker] = [await signIn(email), await signIn(other.email)];
        const page = await browser.open(path);
        const foreign = /name="csrf" value="([^"]+)"/.exec((await attacker.open(path)).html)?.[1] ?? '';
        expect(foreign).not.toBe('');
        for (const csrf of ['', foreign])
          expect((await browser.submit(page, form, { ...fields, csrf })).status).toBe(403);
        expect(await isSignedIn(await signIn(email))).toBe(true);
      },
    );
  });
});

import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../tests/browser.fixture.ts';
import { createRequest, startJourney } from '../../tests/people.fixture.ts';
import { password, startTestServer } from '../../tests/test-server.fixture.ts';
import { useMailboxServer } from './use-mailbox-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const { server, mailbox } = useMailboxServer(storage, { commonPasswords: new Set(['everybodyhasit']) });

  const newEmail = () => `${uuidv7()}@example.org`;
  const signUp = async (browser: Browser, email: string, page?: Page) =>
    browser.submit(page ?? (await browser.open('/sign-up')), 'sign-up', { name: 'Ada', email, password });
  const maskVariableParts = (html: string, email: string) =>
    html.replaceAll(email, '').replaceAll(/name="csrf" value="[^"]*"/g, '');

  describe('signing up', () => {
    it('leads through a mail to an account with a verified address', async () => {
      const [browser, email] = [createBrowser(server.url), newEmail()];
      const wait = await signUp(browser, email);
      expect(wait.url.pathname).toBe('/check-mail');
      expect(wait.html).toContain(email);

      const signInPage = await browser.open(await mailbox.linkTo(email, '/verify-email'));
      expect(signInPage.url.pathname).toBe('/sign-in');
      const page = await browser.submit(signInPage, 'sign-in', { email, password });
      expect(page.html).toContain('id="verify-email"');
      const verified = await browser.submit(page, 'verify-email');
      expect(verified).toMatchObject({ status: 200 });
      const { emailVerified, role } = (await storage.get().accounts.findByEmail(email)) ?? {};
      expect({ emailVerified, role }).toEqual({ emailVerified: true, role: 'customer' });
    });

    it('returns to the authorization request that it interrupted', async () => {
      const journey = await startJourney(server);
      const [{ browser }, email] = [journey, newEmail()];
      const request = await createRequest(journey);
      const interaction = await browser.open(request.url);
      const link = /href="([^"]+)" id="create-account"/.exec(interaction.html)?.[1] ?? '';
      await signUp(browser, email, await browser.open(link));
      const verification = await browser.open(await mailbox.linkTo(email, '/verify-email'));
      const page = await browser.submit(verification, 'sign-in', { email, password });
      const verified = await browser.submit(page, 'verify-email');
      expect(verified.html).toContain(`href="${interaction.url.pathname}"`);
      const consent = await browser.open(interaction.url);
      expect(consent.html).toContain('id="consent"');
      expect(consent.html).toContain(email);
    });

    it('reports every error at once and keeps the input except the password', async () => {
      const browser = createBrowser(server.url);
      const page = await browser.open('/sign-up');
      const fields = { name: 'Ada', email: 'ada@', password: 'tr0ub4dor' };
      const refused = await browser.submit(page, 'sign-up', fields);
      expect(refused.status).toBe(400);
      expect(refused.html).toContain('id="email-problem"');
      expect(refused.html).toContain('id="password-problem"');
      expect(refused.html).toContain('value="Ada"');
      expect(refused.html).not.toContain('tr0ub4dor');
      const empty = await browser.submit(page, 'sign-up', { name: ' ', email: '', password: '' });
      for (const field of ['name', 'email', 'password'])
        expect(empty.html).toContain(`id="${field}-problem"`);
      const mixed = await browser.submit(page, 'sign-up', { name: '', email: 'ada@', password: 'tr0ub4dor' });
      for (const text of ['Enter a name.', 'such as name@example.com', 'at least 10 characters for'])
        expect(mixed.html).toContain(text);
      expect(mixed.html).not.toContain('tr0ub4dor');
    });

    it('explains why a name with bidirectional controls is rejected (UAX #9)', async () => {
      const [browser, email] = [createBrowser(server.url), newEmail()];
      const page = await browser.open('/sign-up');
      const refusedFor = async (name: string) => {
        const { status, html } = await browser.submit(page, 'sign-up', { name, email, password });
        return [status, /has characters that|Use at most 200 characters/.exec(html)?.[0]];
      };
      const unreadable = 'has characters that';
      expect(await refusedFor('Ada\u202ecalevoL')).toEqual([400, unreadable]);
      expect(await refusedFor('\u2060\u200b')).toEqual([400, unreadable]);
      expect(await refusedFor('x'.repeat(201))).toEqual([400, 'Use at most 200 characters']);
    });

    it('rejects passwords that attackers try first', async () => {
      const browser = createBrowser(server.url);
      const page = await browser.open('/sign-up');
      const fields = { name: 'Ada', email: newEmail(), password: 'EverybodyHasIt7' };
      expect((await browser.submit(page, 'sign-up', fields)).html).toContain('id="password-problem"');
    });

    it('sends the mail again on request', async () => {
      const [browser, email] = [createBrowser(server.url), newEmail()];
      const wait = await signUp(browser, email);
      await mailbox.mailsTo(email);
      const again = await browser.submit(wait, 'resend');
      expect(again.html).toContain('id="notice"');
      await mailbox.mailsTo(email, 2);
    });

    it('refuses a password that was published in a data breach, in the words of the page', async () => {
      const digest = createHash('sha1').update(password).digest('hex');
      const breachedPasswordsFile = join(await mkdtemp(join(tmpdir(), 'breached-')), 'passwords.txt');
      await writeFile(breachedPasswordsFile, `${digest.toUpperCase()}:3\r\n`);
      const config = { ...mailbox.config, breachedPasswordsFile };
      const careful = await startTestServer(storage.get(), { config });
      const refused = await signUp(createBrowser(careful.url), newEmail());
      expect(refused.status).toBe(400);
      expect(refused.html).toContain('This password was published in a data breach');
      await careful.stop();
      await rm(dirname(breachedPasswordsFile), { recursive: true });
    });

    it('is not offered, and returns 404, if it is closed', async () => {
      const config = { ...mailbox.config, isSignUpOpen: false };
      const closed = await startTestServer(storage.get(), { config });
      const browser = createBrowser(closed.url);
      expect((await browser.open('/sign-up')).status).toBe(404);
      expect((await browser.open('/sign-in')).html).not.toContain('/sign-up');
      await closed.stop();
    });
  });

  describe('the response to a sign-up or a password reset request (OWASP ASVS 5.0 §6.3.8)', () => {
    it('is the same for an address with and without an account', async () => {
      const { email: known } = await server.addAccount();
      const answersTo = async (email: string) => {
        const browser = createBrowser(server.url);
        const forgot = await browser.open('/forgot-password');
        const pages = [
          await signUp(browser, email),
          await browser.submit(await browser.open('/check-mail'), 'resend'),
          await browser.submit(forgot, 'forgot-password', { email }),
          await browser.submit(await browser.open('/check-mail'), 'resend'),
        ];
        return pages.map(({ status, url, html }) => [status, url.href, maskVariableParts(html, email)]);
      };
      expect(await answersTo(known)).toEqual(await answersTo(newEmail()));
    });
  });

  describe('the link that verifies an address', () => {
    it('does nothing when it is only opened, as mail scanners do', async () => {
      const [browser, email] = [createBrowser(server.url), newEmail()];
      await signUp(browser, email);
      const link = await mailbox.linkTo(email, '/verify-email');
      const page = await browser.submit(await browser.open(link), 'sign-in', { email, password });
      await browser.open(link);
      expect((await storage.get().accounts.findByEmail(email))?.emailVerified).toBe(false);
      expect((await browser.submit(page, 'verify-email')).status).toBe(200);
    });

    it('leads to the account when its page is reloaded', async () => {
      const [browser, email] = [createBrowser(server.url), newEmail()];
      await signUp(browser, email);
      const link = await mailbox.linkTo(email, '/verify-email');
      const page = await browser.submit(await browser.open(link), 'sign-in', { email, password });
      await browser.submit(page, 'verify-email');
      const reloaded = await browser.submit(page, 'verify-email');
      expect([reloaded.status, reloaded.url.pathname]).toEqual([200, '/account']);
    });

    it('is invalid in a session of another account, and offers a new one', async () => {
      const email = newEmail();
      await signUp(createBrowser(server.url), email);
      const other = newEmail();
      const browser = createBrowser(server.url);
      await signUp(browser, other);
      // The account is created after the response.
      await mailbox.mailsTo(other);
      const signInPage = await browser.open(await mailbox.linkTo(email, '/verify-email'));
      const page = await browser.submit(signInPage, 'sign-in', { email: other, password });
      const refused = await browser.submit(page, 'verify-email');
      expect(refused.status).toBe(400);
      expect(refused.html).toContain('id="new-link"');
      const resend = await browser.open('/account/verification');
      await browser.submit(resend, 'resend');
      await mailbox.mailsTo(other, 2);
      expect((await storage.get().accounts.findByEmail(email))?.emailVerified).toBe(false);
    });
  });

  describe('resetting the password', () => {
    it('works once per mailed link and ends every session', async () => {
      const { email } = await server.addAccount();
      const elsewhere = createBrowser(server.url);
      await elsewhere.submit(await elsewhere.open('/account'), 'sign-in', { email, password });

      const browser = createBrowser(server.url);
      await browser.submit(await browser.open('/forgot-password'), 'forgot-password', { email });
      const link = await mailbox.linkTo(email, '/reset-password');
      const page = await browser.open(link);
      const weak = await browser.submit(page, 'reset-password', { password: 'aaaaaaaaaaaa' });
      expect(weak.status).toBe(400);
      expect(weak.html).toContain('id="password-problem"');
      const done = await browser.submit(weak, 'reset-password', { password: 'another yellow umbrella' });
      expect(done.url.pathname).toBe('/sign-in');
      expect(done.html).toContain('id="notice"');

      expect((await elsewhere.open('/account')).url.pathname).toBe('/sign-in');
      const account = await browser.submit(done, 'sign-in', { email, password: 'another yellow umbrella' });
      expect(account.url.pathname).toBe('/account');
      const used = await browser.open(link);
      expect(used.html).not.toContain('id="reset-password"');
      expect(used.status).toBe(400);
      expect(used.html).toContain('id="error-invalid-link"');
      expect(used.html).toContain('href="/forgot-password"');
    });
  });

  describe('a password reset during an authorization request', () => {
    it('returns to the request, which continues', async () => {
      const journey = await startJourney(server);
      const [{ browser, email }, secret] = [journey, 'another yellow umbrella'];
      const interaction = await browser.open((await createRequest(journey)).url);
      const link = /href="([^"]+)" id="forgot-password"/.exec(interaction.html)?.[1] ?? '';
      await browser.submit(await browser.open(link), 'forgot-password', { email });
      const page = await browser.open(await mailbox.linkTo(email, '/reset-password'));
      const back = await browser.submit(page, 'reset-password', { password: secret });
      expect(back.url.pathname).toBe(interaction.url.pathname);
      expect(back.headers.get('content-security-policy')).toContain("form-action 'self' https:");
      expect((await browser.submit(back, 'sign-in', { email, password: secret })).html).toContain(
        'id="consent"',
      );
    });
  });

  describe('forms without a session (RFC 9700 §2.1, CSRF)', () => {
    it.each(['sign-up', 'forgot-password'])('are rejected without their token: %s', async (form) => {
      const browser = createBrowser(server.url);
      const page = await browser.open(`/${form}`);
      const email = newEmail();
      const refused = await browser.submit(page, form, { csrf: '', email, name: 'Ada', password });
      expect(refused.status).toBe(403);
      expect(await storage.get().accounts.findByEmail(email)).toBeUndefined();
    });
  });
});

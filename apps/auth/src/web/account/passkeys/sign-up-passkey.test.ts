import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFactors } from '../../../accounts/factors/factors.ts';
import { createAuthenticator } from '../../../accounts/passkeys/authenticator.fixture.ts';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import { createBrowser } from '../../../tests/browser.fixture.ts';
import { password } from '../../../tests/test-server.fixture.ts';
import { useMailboxServer } from '../use-mailbox-server.fixture.ts';
import { optionsIn } from './passkey-pages.fixture.ts';

const TEN_MINUTES_MS = 600_000;

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const { server, mailbox } = useMailboxServer(storage, { host: 'localhost' });

  /** Signs up without a password; returns the page that confirms it. */
  async function signUp(email = `${uuidv7()}@example.org`) {
    const browser = createBrowser(server.url);
    const fields = { name: 'Grace Hopper', email, method: 'passkey' };
    const sent = await browser.submit(await browser.open('/sign-up'), 'sign-up', fields);
    return { browser, email, sent };
  }

  /** Signs up and opens the mailed link. */
  async function openLink() {
    const { browser, email } = await signUp();
    const page = await browser.open(await mailbox.linkTo(email, '/sign-up/passkey'));
    const passkey = createAuthenticator(server.url).create(optionsIn(page, 'creation'));
    return { browser, email, page, passkey };
  }
  const post = ({ browser, page, passkey }: Omit<Awaited<ReturnType<typeof openLink>>, 'email'>) =>
    browser.submit(page, 'new-passkey', { passkey_name: 'Phone', passkey });

  describe('signing up with a passkey alone', () => {
    it('verifies the address and signs in by the mailed link', async () => {
      const opened = await openLink();
      const done = await post(opened);
      expect([done.status, done.url.pathname]).toEqual([200, '/account']);
      const account = await storage.get().accounts.findByEmail(opened.email);
      expect(account).toMatchObject({ emailVerified: true, passwordHash: null, role: 'customer' });
      const found = await storage.get().factors.find(account?.id ?? '');
      expect(found?.passkeys).toMatchObject([{ name: 'Phone' }]);
      expect(done.html).toContain('href="/forgot-password"');
      const [latest] = await storage.get().audit.list({ accountId: account?.id, limit: 1 });
      expect(latest).toMatchObject({ type: 'account.signed_in', details: { methods: 'swk user mfa' } });
    });

    it('works with the link once, even if it is posted twice concurrently', async () => {
      const opened = await openLink();
      const other = createAuthenticator(server.url).create(optionsIn(opened.page, 'creation'));
      const answers = await Promise.all([post(opened), post({ ...opened, passkey: other })]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
      const again = await createBrowser(server.url).open(
        await mailbox.linkTo(opened.email, '/sign-up/passkey'),
      );
      expect([again.status, again.html.includes('href="/sign-up"')]).toEqual([400, true]);
    });

    it('keeps the link if no passkey is created', async () => {
      const opened = await openLink();
      const failed = await post({ ...opened, passkey: '{}' });
      expect([failed.status, failed.html.includes('id="problems"')]).toEqual([400, true]);
      const passkey = createAuthenticator(server.url).create(optionsIn(failed, 'creation'));
      expect((await post({ ...opened, page: failed, passkey })).url.pathname).toBe('/account');
    });

    it('removes the authenticator app of the person who opened the account before (account pre-hijacking)', async () => {
      const opened = await openLink();
      const { id: accountId = '' } = (await storage.get().accounts.findByEmail(opened.email)) ?? {};
      const totp = { sealedSecret: 'c2VhbGVk', lastStep: 1, createdAt: new Date() };
      const { factors } = storage.get();
      await factors.replace({ ...createFactors(accountId), totp, version: 1 }, 0);
      expect((await post(opened)).url.pathname).toBe('/account');
      expect(await factors.find(accountId)).toMatchObject({ totp: null, passkeys: [{ name: 'Phone' }] });
    });

    it('requires name and address, but no password', async () => {
      const browser = createBrowser(server.url);
      const page = await browser.submit(await browser.open('/sign-up'), 'sign-up', { method: 'passkey' });
      const shown = ['name', 'email', 'password'].map((field) => page.html.includes(`id="${field}-problem"`));
      expect([page.status, shown]).toEqual([400, [true, true, false]]);
    });

    it('does not disclose whether the address has an account, and changes none', async () => {
      const owner = await server.addAccount();
      const [fresh, repeated] = [await signUp(), await signUp(owner.email)];
      expect(repeated.sent.status).toBe(fresh.sent.status);
      const anonymous = (html: string, email: string) =>
        html.replaceAll(email, '').replaceAll(/name="csrf" value="[^"]*"/g, '');
      expect(anonymous(repeated.sent.html, owner.email)).toBe(anonymous(fresh.sent.html, fresh.email));
      const [mail] = await mailbox.mailsTo(owner.email);
      expect(mail?.body).not.toContain('/sign-up/passkey');
      const browser = createBrowser(server.url);
      const signedIn = await browser.submit(await browser.open('/sign-in'), 'sign-in', {
        email: owner.email,
        password,
      });
      expect(signedIn.url.pathname).toBe('/account');
    });

    it('sends the link again, even after a sign-up with a password in between', async () => {
      const { email } = await signUp();
      await mailbox.linkTo(email, '/sign-up/passkey');
      const browser = createBrowser(server.url);
      await browser.submit(await browser.open('/sign-up'), 'sign-up', { name: 'Eve', email, password });
      const mails = await mailbox.mailsTo(email, 2);
      expect(mails.every(({ body }) => body.includes('/sign-up/passkey'))).toBe(true);
      expect(await storage.get().accounts.findByEmail(email)).toMatchObject({ passwordHash: null });
    });

    it('may end in a password instead, which invalidates the link', async () => {
      const { browser, email, page } = await openLink();
      expect(page.html).toContain('href="/forgot-password"');
      await browser.submit(await browser.open('/forgot-password'), 'forgot-password', { email });
      const reset = await browser.open(await mailbox.linkTo(email, '/reset-password'));
      await browser.submit(reset, 'reset-password', { password });
      expect((await browser.open(page.url)).status).toBe(400);
    });
  });

  describe('changing the address of an account without a password', () => {
    it('requires a fresh authentication instead (OWASP ASVS 5.0 §7.5.1)', async () => {
      const opened = await openLink();
      await post(opened);
      const page = await opened.browser.open('/account/email');
      expect(page.html).not.toContain('current_password');
      const newEmail = `${uuidv7()}@example.org`;
      const sent = await opened.browser.submit(page, 'change-email', { email: newEmail });
      expect(sent.url.pathname).toBe('/check-mail');
      const link = await mailbox.linkTo(newEmail, '/confirm-email');
      await opened.browser.submit(await opened.browser.open(link), 'verify-email');
      expect(await storage.get().accounts.findByEmail(newEmail)).toMatchObject({ passwordHash: null });

      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + TEN_MINUTES_MS });
      onTestFinished(() => void vi.useRealTimers());
      const late = await opened.browser.submit(page, 'change-email', { email: opened.email });
      expect(late.url.pathname).toBe('/sign-in');
    });

    it('reports an invalid address', async () => {
      const opened = await openLink();
      await post(opened);
      const page = await opened.browser.open('/account/email');
      const rejected = await opened.browser.submit(page, 'change-email', { email: 'nonsense' });
      expect([rejected.status, rejected.html.includes('id="email-problem"')]).toEqual([400, true]);
    });
  });

  it('lists the origins that may use its passkeys (WebAuthn §5.11.1)', async () => {
    const response = await fetch(`${server.url}/.well-known/webauthn`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect(await response.json()).toEqual({ origins: [server.url] });
  });

  it('removes the passkeys with the account', async () => {
    const opened = await openLink();
    await post(opened);
    const { id = '' } = (await storage.get().accounts.findByEmail(opened.email)) ?? {};
    await server.accounts.remove(id, { address: 'cli', actor: 'operator' });
    expect(await storage.get().factors.find(id)).toBeUndefined();
  });
});

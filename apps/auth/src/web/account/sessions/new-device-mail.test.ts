import { randomUUID } from 'node:crypto';
import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { updateDocument } from '../../../accounts/credentials/change-document.ts';
import { createFactors } from '../../../accounts/factors/factors.ts';
import { createPasskey } from '../../../accounts/factors/passkey.fixture.ts';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../../tests/browser.fixture.ts';
import { createRequest, obtainTokens, startJourney } from '../../../tests/people.fixture.ts';
import { password, startTestServer } from '../../../tests/test-server.fixture.ts';
import { startMailbox } from '../mailbox.fixture.ts';

const newPassword = 'seven quiet harbours';
const firefox = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
};

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const mailbox = useStarted(startMailbox);
  const server = useStarted(() => startTestServer(storage.get(), { config: mailbox.config }));

  async function signIn(
    email: string,
    typed = password,
    browser = createBrowser(server.url, firefox),
  ): Promise<Page> {
    return browser.submit(await browser.open('/sign-in'), 'sign-in', { email, password: typed });
  }

  async function resetPassword(email: string, browser: Browser): Promise<void> {
    await browser.submit(await browser.open('/forgot-password'), 'forgot-password', { email });
    const page = await browser.open(await mailbox.linkTo(email, '/reset-password'));
    await browser.submit(page, 'reset-password', { password: newPassword });
  }

  /** Waits for a mail that is sent after those about sign-ins, and returns the latter. */
  async function finalMails(email: string) {
    await server.accounts.requestPasswordReset({ email }, { address: '192.0.2.1' });
    await mailbox.linkTo(email, '/reset-password');
    return mailbox.signInMailsTo(email, 0);
  }

  describe('a sign-in from a new device (OWASP ASVS 5.0 §6.3.5)', () => {
    it('is reported to the owner by mail with device, network address and time', async () => {
      const { email } = await server.addAccount();
      await signIn(email);
      const [mail] = await mailbox.signInMailsTo(email);
      const text = mail?.body ?? '';
      expect(mail?.headers.join('\n')).toContain('New sign-in');
      expect(text).toContain('Firefox on Linux');
      expect(text).toContain('127.0.0.1');
      expect(text).toMatch(/\d{4} at \d\d:\d\d UTC/);
      expect(text).toContain('/not-me?token=');
    });

    it('is reported in the language of the account', async () => {
      const { email, id } = await server.addAccount();
      await server.accounts.setProfile(id, { locale: 'de' }, { address: 'cli', actor: 'operator' });
      await signIn(email);
      const [mail] = await mailbox.signInMailsTo(email);
      expect(mail?.body).toContain('Firefox auf Linux');
    });

    it('is reported when an application asks for the sign-in, too', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey);
      await mailbox.linkTo(journey.email, '/not-me');
    });

    it('is reported once for each device', async () => {
      const { email } = await server.addAccount();
      const browser = createBrowser(server.url);
      for (const _ of [1, 2]) {
        await signIn(email, password, browser);
        await browser.submit(await browser.open('/session/end'), 'log-out', { logout: 'yes' });
      }
      await mailbox.signInMailsTo(email);
      expect(await finalMails(email)).toHaveLength(1);
    });

    it('is reported from a known device, too, after its owner has reset the password', async () => {
      const { email } = await server.addAccount();
      const [known, other] = [createBrowser(server.url), createBrowser(server.url)];
      await signIn(email, password, known);
      await resetPassword(email, other);
      expect((await signIn(email, newPassword, known)).url.pathname).toBe('/account');
      expect(await mailbox.signInMailsTo(email, 2)).toHaveLength(2);
      // The browser of the reset is known again.
      await signIn(email, newPassword, other);
      expect(await finalMails(email)).toHaveLength(2);
    });

    it('is not reported from a known device on which the user has changed the password', async () => {
      const { email } = await server.addAccount();
      const browser = createBrowser(server.url);
      await signIn(email, password, browser);
      const passwords = { current_password: password, new_password: newPassword };
      await browser.submit(await browser.open('/account/password'), 'change-password', passwords);
      await browser.submit(await browser.open('/session/end'), 'log-out', { logout: 'yes' });
      expect((await signIn(email, newPassword, browser)).url.pathname).toBe('/account');
      expect(await finalMails(email)).toHaveLength(1);
    });

    it('sends at most five mails an hour, however often a person with the password signs in', async () => {
      const { email } = await server.addAccount();
      for (let i = 0; i < 8; i += 1) await signIn(email);
      await mailbox.signInMailsTo(email, 5);
      expect(await finalMails(email)).toHaveLength(5);
    });

    it('sends nothing to an address that is not verified, as at the first sign-in after sign-up', async () => {
      const email = 'new-person@example.org';
      await server.accounts.signUp({ email, name: 'Ann', password }, { address: '192.0.2.1' });
      await mailbox.mailsTo(email);
      expect((await signIn(email)).url.pathname).toBe('/account');
      expect(await finalMails(email)).toEqual([]);
    });

    it('succeeds although the mail server is down', async () => {
      const isolated = await startTestServer(storage.get(), { config: { smtpUrl: 'smtp://127.0.0.1:1' } });
      const { email } = await isolated.addAccount();
      const browser = createBrowser(isolated.url);
      const page = await browser.submit(await browser.open('/sign-in'), 'sign-in', { email, password });
      expect(page.url.pathname).toBe('/account');
      await isolated.stop();
    });
  });

  describe('a sign-in that the owner disowns (OWASP ASVS 5.0 §7.4.3)', () => {
    it('ends every session and token, and the password works no more until another one is chosen', async () => {
      const journey = await startJourney(server);
      const { email, browser, application, accountId } = journey;
      const tokens = await obtainTokens(journey);
      const owner = createBrowser(server.url);
      const page = await owner.open(await mailbox.linkTo(email, '/not-me'));
      const told = await owner.submit(page, 'disown-sign-in');
      expect(told.url.pathname).toBe('/check-mail');

      expect((await browser.open('/account')).url.pathname).toBe('/sign-in');
      const { url } = await browser.open((await createRequest(journey, { prompt: 'none' })).url);
      expect(url.searchParams.get('error')).toBe('login_required');
      const refresh = oauth.refreshTokenGrant(application, tokens.refresh_token ?? '');
      await expect(refresh).rejects.toMatchObject({ error: 'invalid_grant' });
      expect((await signIn(email)).status).toBe(400);

      const reset = await owner.open(await mailbox.linkTo(email, '/reset-password'));
      await owner.submit(reset, 'reset-password', { password: newPassword });
      expect((await signIn(email, newPassword)).url.pathname).toBe('/account');
      const types = ['account.sign_in_disowned'] as const;
      expect(await storage.get().audit.list({ accountId, types, limit: 5 })).toHaveLength(1);
    });

    it('takes the passkeys and the authenticator app with it that were added since', async () => {
      const { email, id } = await server.addAccount();
      const at = new Date(Date.now() - 60_000);
      const earlier = createPasskey({ createdAt: at });
      const store = storage.get().factors;
      await store.replace({ ...createFactors(id), passkeys: [earlier], version: 1 }, 0);
      await signIn(email);
      const link = await mailbox.linkTo(email, '/not-me');
      const later = { createdAt: new Date(Date.now() + 1_000) };
      const totp = { sealedSecret: 'c2VhbGVk', lastStep: 1, ...later };
      const added = { passkeys: [earlier, createPasskey(later)], totp };
      const stored = await store.find(id);
      await store.replace(updateDocument(stored ?? createFactors(id), added), stored?.version ?? 0);

      const owner = createBrowser(server.url);
      await owner.submit(await owner.open(link), 'disown-sign-in');
      expect(await store.find(id)).toMatchObject({ passkeys: [earlier], totp: null });
      const types = ['account.passkey_removed', 'account.totp_removed'] as const;
      expect(await storage.get().audit.list({ accountId: id, types, limit: 5 })).toHaveLength(2);
    });

    it('takes the identities with it that were linked since (account takeover)', async () => {
      const { email, id: accountId } = await server.addAccount();
      const store = storage.get().identities;
      const link = { providerId: 'acme', issuer: 'https://id.example', label: null, lastUsedAt: null };
      const linkAt = (linkedAt: Date) => ({ ...link, id: randomUUID(), subject: randomUUID(), linkedAt });
      const earlier = linkAt(new Date(Date.now() - 60_000));
      await store.replace({ accountId, identities: [earlier], version: 1 }, 0);
      await signIn(email);
      const mailed = await mailbox.linkTo(email, '/not-me');
      const later = linkAt(new Date(Date.now() + 1_000));
      await store.replace({ accountId, identities: [earlier, later], version: 2 }, 1);

      const owner = createBrowser(server.url);
      await owner.submit(await owner.open(mailed), 'disown-sign-in');
      expect((await store.find(accountId))?.identities).toEqual([earlier]);
      const types = ['account.identity_unlinked'] as const;
      expect(await storage.get().audit.list({ accountId, types, limit: 5 })).toMatchObject([
        { details: { provider: 'acme' } },
      ]);
    });

    it('can be disowned after the other person has changed the password', async () => {
      const { email } = await server.addAccount();
      const thief = createBrowser(server.url);
      await signIn(email, password, thief);
      const link = await mailbox.linkTo(email, '/not-me');
      const passwords = { current_password: password, new_password: newPassword };
      await thief.submit(await thief.open('/account/password'), 'change-password', passwords);
      expect((await thief.open('/account')).url.pathname).toBe('/account');
      const owner = createBrowser(server.url);
      const told = await owner.submit(await owner.open(link), 'disown-sign-in');
      expect(told.url.pathname).toBe('/check-mail');
      expect((await thief.open('/account')).url.pathname).toBe('/sign-in');
      expect((await signIn(email, newPassword)).status).toBe(400);
    });

    it('makes the device of the other person unknown, so that the next sign-in there sends a mail', async () => {
      const { email } = await server.addAccount();
      const thief = createBrowser(server.url);
      await signIn(email, password, thief);
      const owner = createBrowser(server.url);
      await owner.submit(await owner.open(await mailbox.linkTo(email, '/not-me')), 'disown-sign-in');
      const reset = await owner.open(await mailbox.linkTo(email, '/reset-password'));
      await owner.submit(reset, 'reset-password', { password: newPassword });
      expect((await signIn(email, newPassword, thief)).url.pathname).toBe('/account');
      expect(await mailbox.signInMailsTo(email, 2)).toHaveLength(2);
    });

    it('stays as it is when a mail scanner opens the link', async () => {
      const { email } = await server.addAccount();
      const browser = createBrowser(server.url);
      await signIn(email, password, browser);
      await createBrowser(server.url).open(await mailbox.linkTo(email, '/not-me'));
      expect((await browser.open('/account')).url.pathname).toBe('/account');
    });

    it('is disowned once, and only by a form of this browser', async () => {
      const { email } = await server.addAccount();
      await signIn(email);
      const link = await mailbox.linkTo(email, '/not-me');
      const owner = createBrowser(server.url);
      const page = await owner.open(link);
      const token = new URL(link).searchParams.get('token') ?? '';
      const forged = await owner.send('/not-me', {
        method: 'POST',
        body: new URLSearchParams({ token, csrf: 'x' }),
      });
      expect(forged.status).toBe(403);
      const answers = await Promise.all([1, 2, 3].map(() => owner.submit(page, 'disown-sign-in')));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
      const again = await owner.open(link);
      expect(again.status).toBe(400);
      expect(again.html).toContain('id="new-link"');
    });

    it('is not disowned by a link for another purpose', async () => {
      const { email } = await server.addAccount();
      await server.accounts.requestPasswordReset({ email }, { address: '192.0.2.1' });
      const link = new URL(await mailbox.linkTo(email, '/reset-password'));
      const page = await createBrowser(server.url).open(`/not-me${link.search}`);
      expect(page.status).toBe(400);
    });
  });
});

import { describe, expect, it } from 'vitest';
import type { Authenticator } from '../../../accounts/passkeys/authenticator.fixture.ts';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import { type Browser, createBrowser } from '../../../tests/browser.fixture.ts';
import { useMailboxServer } from '../use-mailbox-server.fixture.ts';
import { addPasskey, optionsIn, signInByPassword } from './passkey-pages.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const { server, mailbox } = useMailboxServer(storage, { host: 'localhost' });

  const isSignedIn = async (browser: Browser) => (await browser.open('/account')).url.pathname === '/account';

  async function signInByPasskey(authenticator: Authenticator): Promise<Browser> {
    const browser = createBrowser(server.url);
    const page = await browser.open('/sign-in');
    const passkey = authenticator.get(optionsIn(page, 'request'));
    await browser.submit(page, 'sign-in-with-passkey', { passkey });
    return browser;
  }

  describe('the removal of a passkey (OWASP ASVS 5.0 §7.4.3)', () => {
    it('ends all other sessions if the user chooses so', async () => {
      const { email } = await server.addAccount();
      const browser = await signInByPassword(server, email);
      const remove = async ({ id }: Authenticator, fields: Record<string, string>) => {
        const page = await browser.open(`/account/passkeys/${id}`);
        return (await browser.submit(page, 'remove-passkey', fields)).html;
      };
      const passkeys = [
        await addPasskey(browser, server.url),
        await addPasskey(browser, server.url),
      ] as const;
      const other = await signInByPasskey(passkeys[0]);
      expect(await remove(passkeys[1], {})).not.toContain('all other devices are signed out');
      expect(await isSignedIn(other)).toBe(true);
      const done = await remove(passkeys[0], { end_sessions: 'yes' });
      expect(done).toContain('all other devices are signed out');
      expect([await isSignedIn(other), await isSignedIn(browser)]).toEqual([false, true]);
    });

    it('offers to end them by default', async () => {
      const { email } = await server.addAccount();
      const browser = await signInByPassword(server, email);
      const { id } = await addPasskey(browser, server.url);
      const { html } = await browser.open(`/account/passkeys/${id}`);
      expect(html).toMatch(/<input type="checkbox" id="end_sessions"[^>]* checked>/);
    });
  });

  describe('a password reset by mail (OWASP ASVS 5.0 §6.4.3)', () => {
    it('ends all sessions and keeps the passkeys, and the mail says so', async () => {
      const { email } = await server.addAccount();
      const owner = await signInByPassword(server, email);
      const authenticator = await addPasskey(owner, server.url);
      const browser = createBrowser(server.url);
      await browser.submit(await browser.open('/forgot-password'), 'forgot-password', { email });
      const page = await browser.open(await mailbox.linkTo(email, '/reset-password'));
      await browser.submit(page, 'reset-password', { password: 'a quiet green harbour' });
      expect(await isSignedIn(owner)).toBe(false);
      expect(await isSignedIn(await signInByPasskey(authenticator))).toBe(true);
      const mails = await mailbox.mailsTo(email, 3);
      expect(mails.at(-1)?.body.replaceAll(/\s+/g, ' ')).toContain('Passkeys of the account still open it.');
    });
  });
});

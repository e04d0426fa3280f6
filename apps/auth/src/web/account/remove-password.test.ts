import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createBrowser } from '../../tests/browser.fixture.ts';
import { password, startTestServer } from '../../tests/test-server.fixture.ts';
import { addPasskey, optionsIn, signInByPassword } from './passkeys/passkey-pages.fixture.ts';

const path = '/account/password/remove';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get(), { host: 'localhost' }));

  /** Adds a user with a password and a passkey, who is signed in by the password. */
  async function start() {
    const account = await server.addAccount();
    const browser = await signInByPassword(server, account.email);
    const authenticator = await addPasskey(browser, server.url);
    const [passkey] = await server.accounts.listPasskeys(account.id);
    return { ...account, browser, authenticator, passkeyId: passkey?.id ?? '' };
  }
  const hasPassword = async (id: string) => (await server.accounts.get(id)).passwordHash !== null;

  describe('the page that removes the password', () => {
    it('removes it; the passkey signs in, all other sessions end, and the removal is recorded', async () => {
      const { id, email, browser, authenticator } = await start();
      const other = await signInByPassword(server, email);
      expect((await browser.open('/account/password')).html).toContain('id="remove-password"');
      const done = await browser.submit(await browser.open(path), 'remove-password');
      expect(done.html).toContain('Your password has been removed.');
      expect(await hasPassword(id)).toBe(false);
      expect((await other.open('/account')).url.pathname).toBe('/sign-in');

      const fresh = createBrowser(server.url);
      const wrong = await fresh.submit(await fresh.open('/sign-in'), 'sign-in', { email, password });
      expect(wrong.status).toBe(400);
      const response = authenticator.get(optionsIn(wrong, 'request'));
      const page = await fresh.submit(wrong, 'sign-in-with-passkey', { passkey: response });
      expect(page.url.pathname).toBe('/account');
      const types = ['account.password_removed'] as const;
      expect(await storage.get().audit.list({ accountId: id, types, limit: 5 })).toHaveLength(1);
    });

    it('is not offered without another way to sign in', async () => {
      const { id, email } = await server.addAccount();
      const browser = await signInByPassword(server, email);
      expect((await browser.open('/account/password')).html).not.toContain('id="remove-password"');
      const refused = await browser.open(path);
      expect([refused.url.pathname, refused.html]).toEqual([
        '/account/password',
        expect.stringContaining('The password is your only way to sign in'),
      ]);
      expect(await hasPassword(id)).toBe(true);
    });

    it('refuses a form whose passkey was removed in the meantime', async () => {
      const { id, browser, passkeyId } = await start();
      const page = await browser.open(path);
      await server.accounts.removePasskey({ accountId: id, id: passkeyId }, { address: 'cli' });
      expect((await browser.submit(page, 'remove-password')).html).toContain('your only way to sign in');
      expect(await hasPassword(id)).toBe(true);
    });
  });

  describe('the last way to sign in', () => {
    it('stays if password, passkey and an unusable identity are removed concurrently', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { id, passkeyId } = await start();
        const identity = {
          id: randomUUID(),
          providerId: 'gone',
          issuer: 'https://gone.example',
          subject: id,
          label: null,
          linkedAt: new Date(),
          lastUsedAt: null,
        };
        await storage.get().identities.replace({ accountId: id, identities: [identity], version: 1 }, 0);
        const origin = { address: 'cli' };
        await Promise.allSettled([
          server.accounts.removePassword(id, origin),
          sleep(0).then(() => server.accounts.removePasskey({ accountId: id, id: passkeyId }, origin)),
          server.accounts.unlinkIdentity({ accountId: id, identityId: identity.id }, origin),
        ]);
        const { length } = await server.accounts.listPasskeys(id);
        expect(Number(await hasPassword(id)) + length).toBe(1);
      }
    });
  });
});

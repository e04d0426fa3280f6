import { hash, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { updateDocument } from '../../accounts/credentials/change-document.ts';
import { createFactors } from '../../accounts/factors/factors.ts';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../tests/browser.fixture.ts';
import { password } from '../../tests/test-server.fixture.ts';
import {
  isSignedIn,
  newAddress,
  newUser,
  noticeOf,
  signInAs,
  useUpstreamServer,
} from './upstream-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const used = useUpstreamServer(storage);

  async function signInWithPassword(email: string): Promise<Browser> {
    const browser = createBrowser(used.server.url);
    await browser.submit(await browser.open('/sign-in'), 'sign-in', { email, password });
    return browser;
  }

  /** Signs in at the provider for a link; returns the page that asks for confirmation. */
  async function beginLink(browser: Browser): Promise<Page> {
    const left = await browser.open('/account/identities/link/acme');
    return browser.open(await used.upstream.authorize(left.url));
  }

  async function link(browser: Browser): Promise<Page> {
    return browser.submit(await beginLink(browser), 'link-identity');
  }

  const idIn = ({ html }: Page) => /id="unlink-([^"]+)"/.exec(html)?.[1] ?? '';
  const unlink = (browser: Browser, page: Page) => browser.submit(page, `unlink-${idIn(page)}`);

  describe('the identities of an account', () => {
    it('are linked after a sign-in to both and a confirmation, and open the account then', async () => {
      const { email } = await used.server.addAccount();
      const browser = await signInWithPassword(email);
      expect((await browser.open('/account')).html).toContain('href="/account/identities"');
      used.upstream.user = newUser('ada@elsewhere.example');
      const asked = await beginLink(browser);
      expect(asked.html).toContain('ada@elsewhere.example');
      expect(noticeOf(await browser.submit(asked, 'link-identity'))).toContain('You can now sign in with');
      const page = await signInAs(used, used.upstream.user);
      expect(isSignedIn(page)).toBe(true);
      expect(page.html).toContain(email);
    });

    it('are not linked without the confirmation, nor by a repeated one (CSRF)', async () => {
      const { email, id } = await used.server.addAccount();
      const browser = await signInWithPassword(email);
      used.upstream.user = newUser(undefined);
      const asked = await beginLink(browser);
      expect(await used.server.accounts.listIdentities(id)).toEqual([]);
      const forged = { method: 'POST', body: new URLSearchParams({ csrf: 'forged' }) };
      expect((await browser.send('/account/identities/confirm', forged)).status).toBe(403);
      await browser.submit(asked, 'link-identity');
      const [linked] = await used.server.accounts.listIdentities(id);
      await used.server.accounts.unlinkIdentity(
        { accountId: id, identityId: linked?.id ?? '' },
        { address: 'cli' },
      );
      await browser.submit(asked, 'link-identity');
      expect(await used.server.accounts.listIdentities(id)).toEqual([]);
    });

    it('are not linked to the account that signs in in the meantime', async () => {
      const [one, other] = [await used.server.addAccount(), await used.server.addAccount()];
      const browser = await signInWithPassword(one.email);
      used.upstream.user = newUser(undefined);
      const left = await browser.open('/account/identities/link/acme');
      await browser.open('/session/end');
      const second = await signInWithPassword(other.email);
      expect((await second.open(await used.upstream.authorize(left.url))).html).not.toContain(
        'id="link-identity"',
      );
      expect(await used.server.accounts.listIdentities(other.id)).toEqual([]);
    });

    it('belong to one account', async () => {
      const user = newUser(newAddress());
      await signInAs(used, user);
      const browser = await signInWithPassword((await used.server.addAccount()).email);
      used.upstream.user = user;
      expect(noticeOf(await link(browser))).toContain('linked to another account');
    });

    it('are unlinked, unless one is the last way to sign in', async () => {
      const { email, id } = await used.server.addAccount();
      const browser = await signInWithPassword(email);
      used.upstream.user = newUser(undefined);
      const removed = await unlink(browser, await link(browser));
      expect(noticeOf(removed)).toContain('no longer sign in with');
      expect(await used.server.accounts.listIdentities(id)).toEqual([]);
      const own = createBrowser(used.server.url);
      used.upstream.user = newUser(newAddress());
      await own.open(await used.upstream.authorize((await own.open('/sign-in/with/acme')).url));
      expect(noticeOf(await unlink(own, await own.open('/account/identities')))).toContain(
        'only way to sign in',
      );
    });

    it('end the trust in devices when one is linked or unlinked', async () => {
      const { email, id: accountId, credentialEpoch } = await used.server.addAccount();
      const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + 86_400_000)];
      const digest = hash('sha256', 'secret', 'base64url');
      const device = {
        id: randomUUID(),
        description: 'Firefox',
        digest,
        credentialEpoch,
        createdAt,
        expiresAt,
      };
      const { factors } = storage.get();
      const trust = async () => {
        const stored = (await factors.find(accountId)) ?? createFactors(accountId);
        const trusted = updateDocument(stored, { trustedDevices: [device] });
        expect(await factors.replace(trusted, stored.version)).toBe('replaced');
      };
      const countTrusted = async () => (await factors.find(accountId))?.trustedDevices.length;
      const browser = await signInWithPassword(email);
      used.upstream.user = newUser(undefined);
      await trust();
      const linked = await link(browser);
      expect(await countTrusted()).toBe(0);
      await trust();
      await unlink(browser, linked);
      expect(await countTrusted()).toBe(0);
    });

    it('are changed only after a fresh authentication (OWASP ASVS 5.0 §7.5.1)', async () => {
      const browser = createBrowser(used.server.url);
      const authTime = Math.floor(Date.now() / 1000) - 3_600;
      used.upstream.user = newUser(newAddress(), { auth_time: authTime });
      await browser.open(await used.upstream.authorize((await browser.open('/sign-in/with/acme')).url));
      const asked = await browser.open('/account/identities/link/acme');
      expect(asked.url.pathname).toBe('/sign-in');
      expect(asked.url.searchParams.get('prompt')).toBe('login');
      // The provider's session of an hour ago does not count.
      const again = await browser.open(
        '/sign-in/with/acme?again=true&return_to=/account/identities/link/acme',
      );
      expect(noticeOf(await browser.open(await used.upstream.authorize(again.url)))).toContain('failed');
    });

    it('of an account with an unverified address are none (account pre-hijacking)', async () => {
      const account = await used.server.addAccount();
      const changed = { ...account, emailVerified: false, version: account.version + 1 };
      await storage.get().accounts.replace(changed, account.version);
      const browser = await signInWithPassword(account.email);
      used.upstream.user = newUser(undefined);
      expect(noticeOf(await link(browser))).toContain('Confirm your e-mail address');
    });
  });
});

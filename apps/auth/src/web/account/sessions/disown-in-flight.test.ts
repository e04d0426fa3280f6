import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { updateDocument } from '../../../accounts/credentials/change-document.ts';
import { createAuthenticator } from '../../../accounts/passkeys/authenticator.fixture.ts';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import {
  createInterceptedStorage,
  type InterceptedStorage,
} from '../../../storage/intercepted-storage.fixture.ts';
import { setUpApp } from '../../../tests/authenticator-app.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../../tests/browser.fixture.ts';
import { password, startTestServer } from '../../../tests/test-server.fixture.ts';
import { startHostileProvider } from '../../upstream/hostile-provider.fixture.ts';
import { newAddress, newUser, trusted } from '../../upstream/upstream-server.fixture.ts';
import { startMailbox } from '../mailbox.fixture.ts';
import { addPasskey, optionsIn, signInByPassword } from '../passkeys/passkey-pages.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const mailbox = useStarted(startMailbox);
  const upstream = useStarted(startHostileProvider);
  let intercept: InterceptedStorage['intercept'];
  const server = useStarted(() => {
    const intercepted = createInterceptedStorage(storage.get());
    intercept = intercepted.intercept;
    const identityProviders = [upstream.toProvider({ isSignUpOpen: false, trustedDomains: [trusted] })];
    return startTestServer(intercepted.storage, {
      host: 'localhost',
      config: { ...mailbox.config, identityProviders },
    });
  });

  /** Signs a thief in, who has the password. */
  async function signThiefIn() {
    const account = await server.addAccount();
    const thief = await signInByPassword(server, account.email);
    const link = await mailbox.linkTo(account.email, '/not-me');
    const owner = createBrowser(server.url);
    const form = await owner.open(link);
    /** Disowns the sign-in, as the owner. */
    async function disown(): Promise<void> {
      expect((await owner.submit(form, 'disown-sign-in')).url.pathname).toBe('/check-mail');
    }
    return { account, thief, disown };
  }

  async function openLinkPage(browser: Browser): Promise<Page> {
    Object.assign(upstream.user, newUser(undefined));
    const left = await browser.open('/account/identities/link/acme');
    return browser.open(await upstream.authorize(left.url));
  }

  describe('a sign-in in flight while the owner disowns an earlier one (OWASP ASVS 5.0 §7.4.3)', () => {
    it('ends, if it was made with a passkey added since', async () => {
      const { thief, disown } = await signThiefIn();
      const passkey = await addPasskey(thief, server.url);
      const browser = createBrowser(server.url);
      const page = await browser.open('/sign-in');
      const response = passkey.get(optionsIn(page, 'request'));
      intercept({ store: 'factors', method: 'replace', at: 'after', act: disown });
      await browser.submit(page, 'sign-in-with-passkey', { passkey: response });
      expect((await browser.open('/account')).url.pathname).toBe('/sign-in');
    });

    it('ends, if it was made with an identity linked since', async () => {
      const { thief, disown } = await signThiefIn();
      await thief.submit(await openLinkPage(thief), 'link-identity');
      const browser = createBrowser(server.url);
      const left = await browser.open('/sign-in/with/acme');
      const back = await upstream.authorize(left.url);
      intercept({ store: 'identities', method: 'findByIdentity', at: 'after', act: disown });
      await browser.open(back);
      expect((await browser.open('/account')).url.pathname).toBe('/sign-in');
    });
  });

  describe('a form in flight while the owner disowns its sign-in (OWASP ASVS 5.0 §7.4.3)', () => {
    const [challenge, write] = [
      { store: 'artifacts', method: 'insertOnce', at: 'after' },
      { store: 'factors', method: 'replace', at: 'before' },
    ] as const;

    it.each([challenge, write])('adds no passkey: $at $store.$method', async (step) => {
      const { account, thief, disown } = await signThiefIn();
      const page = await thief.open('/account/passkeys/new');
      const passkey = createAuthenticator(server.url).create(optionsIn(page, 'creation'));
      intercept({ ...step, act: disown });
      const answer = await thief.submit(page, 'new-passkey', { passkey_name: 'Phone', passkey });
      expect(answer.status).toBe(403);
      expect(await server.accounts.listPasskeys(account.id)).toEqual([]);
    });

    it('sets no authenticator app up', async () => {
      const { account, thief, disown } = await signThiefIn();
      const page = await thief.open('/account/two-step/app');
      intercept({ store: 'factors', method: 'replace', at: 'before', act: disown });
      expect((await setUpApp(thief, page, server)).shown.status).toBe(403);
      expect((await server.accounts.factorChanges.find(account.id)).totp).toBeNull();
    });

    it.each(['a reset', 'a trusted provider'] as const)(
      'sets none up on an account that the owner of its address takes by %s',
      async (by) => {
        const email = newAddress();
        await server.accounts.signUp({ email, name: 'Eve', password }, { address: '192.0.2.1' });
        await mailbox.linkTo(email, '/verify-email');
        const stranger = await signInByPassword(server, email);
        await server.accounts.requestPasswordReset({ email }, { address: '192.0.2.1' });
        const owner = createBrowser(server.url);
        const reset = await owner.open(await mailbox.linkTo(email, '/reset-password'));
        async function act(): Promise<void> {
          if (by === 'a reset')
            return void (await owner.submit(reset, 'reset-password', { password: 'seven quiet harbours' }));
          Object.assign(upstream.user, newUser(email));
          const left = await owner.open('/sign-in/with/acme');
          await owner.open(await upstream.authorize(left.url));
        }
        const page = await stranger.open('/account/two-step/app');
        intercept({ store: 'factors', method: 'replace', at: 'before', act });
        expect((await setUpApp(stranger, page, server)).shown.status).toBe(403);
        const { id = '', emailVerified } = (await server.accounts.findByEmail(email)) ?? {};
        expect(emailVerified).toBe(true);
        expect((await server.accounts.factorChanges.find(id)).totp).toBeNull();
      },
    );

    it('replaces no recovery codes', async () => {
      const { account, thief, disown } = await signThiefIn();
      await setUpApp(thief, await thief.open('/account/two-step/app'), server);
      const { factors } = storage.get();
      const stored = await factors.find(account.id);
      if (!stored?.totp) throw new Error('No authenticator app is set up.');
      // Set up by the owner, long ago.
      const createdAt = new Date(0);
      const recoveryCodes = stored.recoveryCodes.map((each) => ({ ...each, createdAt }));
      const earlier = updateDocument(stored, { totp: { ...stored.totp, createdAt }, recoveryCodes });
      await factors.replace(earlier, stored.version);
      const page = await thief.open('/account/two-step');
      intercept({ store: 'factors', method: 'replace', at: 'before', act: disown });
      expect((await thief.submit(page, 'new-codes')).status).toBe(403);
      expect((await factors.find(account.id))?.recoveryCodes).toEqual(recoveryCodes);
    });

    it('links no identity', async () => {
      const { account, thief, disown } = await signThiefIn();
      const page = await openLinkPage(thief);
      intercept({ store: 'identities', method: 'replace', at: 'before', act: disown });
      expect((await thief.submit(page, 'link-identity')).status).toBe(403);
      expect(await server.accounts.listIdentities(account.id)).toEqual([]);
    });
  });
});

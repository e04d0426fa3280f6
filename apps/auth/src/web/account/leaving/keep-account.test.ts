import { useStarted } from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import { setUpApp } from '../../../tests/authenticator-app.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../../tests/browser.fixture.ts';
import { createRequest, type Journey, startJourney } from '../../../tests/people.fixture.ts';
import { password, startTestServer } from '../../../tests/test-server.fixture.ts';
import { type HostileProvider, startHostileProvider } from '../../upstream/hostile-provider.fixture.ts';
import { newUser } from '../../upstream/upstream-server.fixture.ts';
import { addPasskey, optionsIn, signInByPassword } from '../passkeys/passkey-pages.fixture.ts';

const PROVIDER = '/sign-in/with/acme';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  let upstream: HostileProvider;
  beforeAll(async () => {
    upstream = await startHostileProvider();
  });
  afterAll(() => upstream.stop());
  // Passkeys need a host name.
  const server = useStarted(() =>
    startTestServer(storage.get(), {
      host: 'localhost',
      config: { identityProviders: [upstream.toProvider({ trustedDomains: ['trusted.example'] })] },
    }),
  );

  async function deleteAccount(browser: Browser): Promise<void> {
    await browser.submit(await browser.open('/account/delete'), 'delete-account');
  }
  const signInByProvider = async (browser: Browser, path: string) =>
    browser.open(await upstream.authorize((await browser.open(path)).url));

  /** Signs a user in, in a browser whose current page is a sign-in page. */
  type SignIn = (browser: Browser, page: Page) => Promise<Page>;

  /** Adds a passkey to the account of an application's user. */
  async function createPasskeySignIn({ email }: Journey): Promise<SignIn> {
    const owner = await signInByPassword(server, email);
    const authenticator = await addPasskey(owner, server.url);
    await deleteAccount(owner);
    return (browser, page) => {
      const passkey = authenticator.get(optionsIn(page, 'request'));
      return browser.submit(page, 'sign-in-with-passkey', { passkey });
    };
  }

  /** Links the account of an application's user to a provider. */
  async function createProviderSignIn({ email }: Journey): Promise<SignIn> {
    const owner = await signInByPassword(server, email);
    upstream.user = newUser(email);
    const asked = await signInByProvider(owner, '/account/identities/link/acme');
    await owner.submit(asked, 'link-identity');
    await deleteAccount(owner);
    return (browser, { html }) => {
      const [, path = PROVIDER] = /href="([^"]*\/sign-in\/with\/acme[^"]*)"/.exec(html) ?? [];
      return signInByProvider(browser, path.replaceAll('&amp;', '&'));
    };
  }

  describe.each([
    ['a passkey', createPasskeySignIn],
    ['an identity of a provider', createProviderSignIn],
  ])('a user whose account will be deleted, with %s', (_, createSignIn) => {
    it('can only keep it after a sign-in, and then signs in as before', async () => {
      const journey = await startJourney(server, { role: 'customer' });
      const signIn = await createSignIn(journey);
      const browser = createBrowser(server.url);
      const page = await signIn(browser, await browser.open('/sign-in'));
      expect([page.url.pathname, page.html.includes(journey.email)]).toEqual(['/keep-account', true]);
      for (const path of ['/account', '/account/password', '/account/passkeys', '/account/identities'])
        expect((await browser.open(path)).url.pathname).toBe('/keep-account');
      const kept = await browser.submit(page, 'keep-account');
      expect(kept.html).toContain('Your account stays.');
      const other = createBrowser(server.url);
      expect((await signIn(other, await other.open('/sign-in'))).url.pathname).toBe('/account');
    });

    it('gets no authorization response for an application (OpenID Connect Core §3.1.2.1)', async () => {
      const journey = await startJourney(server, { role: 'customer' });
      const signIn = await createSignIn(journey);
      const { url } = await createRequest(journey);
      const page = await signIn(journey.browser, await journey.browser.open(url));
      expect(page.url.pathname).toBe('/keep-account');
    });
  });

  describe('a user whose account will be deleted, with an authenticator app', () => {
    it('reaches the page only after the code (OWASP ASVS 5.0 §6.3.3)', async () => {
      const { email } = await server.addAccount();
      const owner = await signInByPassword(server, email);
      const { app } = await setUpApp(owner, await owner.open('/account/two-step/app'), server);
      await deleteAccount(owner);
      const browser = createBrowser(server.url);
      const step = await browser.submit(await browser.open('/sign-in'), 'sign-in', { email, password });
      expect(step.html).toContain('id="second-factor"');
      expect((await browser.open('/keep-account')).url.pathname).toBe('/sign-in');
      const page = await browser.submit(step, 'second-factor', { code: app.nextCode() });
      expect(page.url.pathname).toBe('/keep-account');
    });
  });
});

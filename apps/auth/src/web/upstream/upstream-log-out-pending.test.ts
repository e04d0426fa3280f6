import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { setUpApp } from '../../tests/authenticator-app.fixture.ts';
import { createBrowser } from '../../tests/browser.fixture.ts';
import { createRequest, startJourney } from '../../tests/people.fixture.ts';
import { isSignedIn, newAddress, newUser, signIn, useUpstreamServer } from './upstream-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const used = useUpstreamServer(storage);

  /** Signs an agent in at the provider; the sign-in here waits for its second factor. */
  async function beginSignIn(sid: string | undefined = randomUUID(), user = newUser(newAddress())) {
    const known = await used.server.accounts.findByEmail(user.email ?? '');
    if (!known) await used.server.addAccount({ email: user.email ?? '', role: 'agent' });
    used.upstream.user = { ...user, ...(sid && { sid }) };
    const browser = createBrowser(used.server.url);
    const page = await signIn(used, browser);
    expect(page.url.pathname).toBe('/sign-in/second-factor');
    return { browser, page, user, sid };
  }
  type Begun = Awaited<ReturnType<typeof beginSignIn>>;

  /** Completes the second factor; returns whether the user is signed in then. */
  async function isCompleted({ browser, page }: Pick<Begun, 'browser' | 'page'>): Promise<boolean> {
    const { shown } = await setUpApp(browser, page, used.server);
    if (shown.html.includes('id="continue"')) await browser.submit(shown, 'continue');
    return isSignedIn(await browser.open('/account'));
  }

  async function logOut(claims: Record<string, unknown>): Promise<void> {
    const form = new URLSearchParams({ logout_token: await used.upstream.createLogoutToken(claims) });
    const url = `${used.server.url}/sign-in/with/acme/back-channel-log-out`;
    expect((await fetch(url, { method: 'POST', body: form })).status).toBe(200);
  }

  async function logOutInFrame(sid: string): Promise<void> {
    const query = new URLSearchParams({ iss: used.upstream.issuer, sid });
    const url = `${used.server.url}/sign-in/with/acme/front-channel-log-out?${query}`;
    expect((await fetch(url)).status).toBe(200);
  }

  describe('a sign-in that waits for its second factor (OpenID Connect Back-Channel Logout 1.0 §2.7)', () => {
    it.each<[string, (begun: Begun) => Promise<void>]>([
      ['the session', ({ sid }) => logOut({ sid })],
      ['the session and its user', ({ sid, user }) => logOut({ sid, sub: user.sub })],
      ['the user', ({ user }) => logOut({ sub: user.sub })],
      ['the session, in a frame', ({ sid = '' }) => logOutInFrame(sid)],
    ])('ends with a log-out at the provider of %s', async (_, end) => {
      const begun = await beginSignIn();
      await end(begun);
      const page = await begun.browser.open('/sign-in/second-factor');
      expect(page.url.pathname).toBe('/sign-in');
      expect(isSignedIn(await begun.browser.open('/account'))).toBe(false);
    });

    it('ends between the page and its form, too', async () => {
      const begun = await beginSignIn();
      await logOut({ sid: begun.sid });
      const page = await begun.browser.submit(begun.page, 'set-up-totp', { code: '000000' });
      expect(page.url.pathname).toBe('/sign-in');
    });

    it('ends for an application', async () => {
      const user = newUser(newAddress(), { sid: randomUUID() });
      await used.server.addAccount({ email: user.email ?? '', role: 'agent' });
      used.upstream.user = user;
      const journey = await startJourney(used.server);
      const request = await createRequest(journey, { idp_hint: 'acme' });
      const left = await journey.browser.open(request.url);
      const page = await journey.browser.open(await used.upstream.authorize(left.url));
      expect(page.url.pathname).toMatch(/second-factor$/);
      await logOut({ sid: user.sid });
      // The hint of the request leads to the provider again.
      expect((await journey.browser.open(page.url)).url.origin).toBe(used.upstream.issuer);
    });

    it('ends with its user if the provider states no sid', async () => {
      const begun = await beginSignIn('');
      await logOut({ sid: 'of this session', sub: begun.user.sub });
      expect((await begun.browser.open('/sign-in/second-factor')).url.pathname).toBe('/sign-in');
    });

    it('continues after the log-out of another session or user, or of an earlier one', async () => {
      const earlier = await beginSignIn();
      await logOut({ sub: earlier.user.sub });
      const later = await beginSignIn(undefined, earlier.user);
      const other = await beginSignIn();
      await logOut({ sid: other.sid, sub: other.user.sub });
      await logOut({ sub: other.user.sub });
      expect(await isCompleted(later)).toBe(true);
    });

    it('must exist before a log-out in a frame, which any client can send, is stored', async () => {
      const stored = async () => {
        const found = await storage.get().artifacts.findByModel('UpstreamLogOut', new Date(), 1_000);
        return found.length;
      };
      const before = await stored();
      await logOutInFrame(randomUUID());
      expect(await stored()).toBe(before);
    });
  });
});

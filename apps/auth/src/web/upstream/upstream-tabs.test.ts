import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { type Browser, createBrowser } from '../../tests/browser.fixture.ts';
import { createRequest, startJourney } from '../../tests/people.fixture.ts';
import { password } from '../../tests/test-server.fixture.ts';
import { isSignedIn, newAddress, newUser, noticeOf, useUpstreamServer } from './upstream-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const used = useUpstreamServer(storage);

  describe('sign-ins in several tabs of a browser', () => {
    /** Begins sign-ins before any response arrives, and returns the URLs of the responses. */
    async function begin(browser: Browser, queries: readonly string[]): Promise<URL[]> {
      used.upstream.user = newUser(newAddress());
      const callbacks: URL[] = [];
      for (const query of queries) {
        const left = await browser.open(`/sign-in/with/acme${query}`);
        callbacks.push(await used.upstream.authorize(left.url));
      }
      return callbacks;
    }

    it('all complete, in any order, each at its own page', async () => {
      const browser = createBrowser(used.server.url);
      const paths = ['/account/name', '/account/sessions', '/account/data', '/account/email', '/account'];
      const callbacks = await begin(
        browser,
        paths.map((path) => `?return_to=${path}`),
      );
      for (const index of [4, 0, 2, 1, 3]) {
        const page = await browser.open(callbacks[index] ?? '');
        expect([page.status, page.url.pathname]).toEqual([200, paths[index]]);
      }
      expect(browser.cookies().filter((name) => name.includes('upstream'))).toEqual([]);
    });

    it('complete when they were begun at the same time', async () => {
      const browser = createBrowser(used.server.url);
      const callbacks = (await Promise.all([1, 2, 3].map(() => begin(browser, [''])))).flat();
      for (const callback of callbacks) expect(isSignedIn(await browser.open(callback))).toBe(true);
    });

    it('link each its own identity to the account', async () => {
      const { id, email } = await used.server.addAccount();
      const browser = createBrowser(used.server.url);
      await browser.submit(await browser.open('/sign-in'), 'sign-in', { email, password });
      const pages = [];
      const users = [newUser(newAddress()), newUser(newAddress())];
      for (const user of users) {
        const left = await browser.open('/account/identities/link/acme');
        used.upstream.user = user;
        pages.push(await browser.open(await used.upstream.authorize(left.url)));
      }
      for (const [index, page] of pages.entries()) {
        expect(page.html).toContain(users[index]?.email);
        await browser.submit(page, 'link-identity');
        const labels = (await used.server.accounts.listIdentities(id)).map(({ label }) => label);
        expect(labels).toEqual(users.slice(0, index + 1).map((user) => user.email));
      }
    });

    it('complete for two requests of applications', async () => {
      const journey = await startJourney(used.server, { role: 'customer' });
      const requests = [await createRequest(journey), await createRequest(journey)];
      const { browser } = journey;
      const interactions = [];
      for (const { url } of requests) interactions.push((await browser.open(url)).url.pathname);
      const callbacks = await begin(
        browser,
        interactions.map((path) => `?return_to=${path}`),
      );
      for (const [index, callback] of callbacks.entries()) {
        let page = await browser.open(callback);
        if (page.html.includes('id="consent"'))
          page = await browser.submit(page, 'consent', { decision: 'allow' });
        expect(page.url.searchParams.get('state')).toBe(requests[index]?.state);
      }
    });

    it.each([
      ['the oldest of six', '', 6],
      ['old ones with long addresses', `?return_to=/account?${'x'.repeat(1_200)}`, 5],
    ])('give way, so that the cookies fit into a request: %s', async (_, query, count) => {
      const browser = createBrowser(used.server.url);
      const [oldest, ...later] = await begin(
        browser,
        Array.from({ length: count }, () => query),
      );
      expect(browser.cookieValues().join().length).toBeLessThan(9_000);
      expect(noticeOf(await browser.open(oldest ?? ''))).toContain('begun in another browser');
      const page = await browser.open(later.at(-1) ?? '');
      expect(page.url.pathname).toBe('/account');
    });
  });
});

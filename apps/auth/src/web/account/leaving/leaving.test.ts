import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import { type Browser, createBrowser } from '../../../tests/browser.fixture.ts';
import { createRequest, obtainTokens, signIn, startJourney } from '../../../tests/people.fixture.ts';
import { password } from '../../../tests/test-server.fixture.ts';
import { useMailboxServer } from '../use-mailbox-server.fixture.ts';

const DAY_MS = 86_400_000;
const newPassword = 'seven quiet harbours';
const origin = { address: '127.0.0.1' };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const { server, mailbox } = useMailboxServer(storage);
  const now = () => new Date(Date.now() + server.time.ahead);
  const afterwards = () => new Date(now().getTime() + 15 * DAY_MS);

  async function signInTo(email: string, path = '/account') {
    const browser = createBrowser(server.url);
    const page = await browser.submit(await browser.open(path), 'sign-in', { email, password });
    return { browser, page };
  }

  /** Adds a user who has asked to delete their account. */
  async function addLeavingUser() {
    const account = await server.addAccount();
    const { browser } = await signInTo(account.email);
    await deleteAccount(browser);
    return { ...account, browser };
  }
  const deleteAccount = async (browser: Browser) =>
    browser.submit(await browser.open('/account/delete'), 'delete-account');
  const typesOf = async (accountId: string) =>
    (await storage.get().audit.list({ accountId, limit: 100 })).map(({ type }) => type);

  describe('deleting an account', () => {
    it('explains what happens, including in the helpdesk, before it asks', async () => {
      const { browser } = await signInTo((await server.addAccount()).email);
      const { html } = await browser.open('/account/delete');
      expect(html).toContain('The helpdesk then removes your name and e-mail address');
      const day = new Date(now().getTime() + 14 * DAY_MS);
      expect(html).toContain(String(day.getUTCFullYear()));
    });

    it('ends all sessions, grants and tokens at once, and mails the date (OWASP ASVS 5.0 §7.4.2)', async () => {
      const journey = await startJourney(server, { role: 'customer' });
      const { access_token, refresh_token } = await obtainTokens(journey);
      const { browser: elsewhere } = await signInTo(journey.email);
      const done = await deleteAccount(journey.browser);
      expect(done.url.pathname).toBe('/sign-in');
      expect(done.html).toContain('Your account will be deleted');
      expect((await elsewhere.open('/account')).url.pathname).toBe('/sign-in');
      const userinfo = await fetch(`${server.url}/me`, {
        headers: { Authorization: `Bearer ${access_token}` },
      });
      expect(userinfo.status).toBe(401);
      const credentials = `${journey.clientId}:${journey.clientSecret}`;
      const refresh = await server.requestToken(
        { grant_type: 'refresh_token', refresh_token: String(refresh_token) },
        { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      );
      expect(refresh.status).toBe(400);
      const [mail] = await mailbox.mailsTo(journey.email);
      expect(mail?.body).toMatch(/will be deleted on \d+ \w+ \d{4}/);
    });

    it('is refused for the last administrator, with the reason', async () => {
      const { email, id } = await server.addAccount({ role: 'admin' });
      const { browser } = await signInTo(email);
      const refused = await deleteAccount(browser);
      expect(refused.status).toBe(403);
      expect(refused.html).toContain('You are the only administrator');
      expect((await server.accounts.get(id)).status).toBe('active');
      const other = await server.addAccount({ role: 'admin' });
      expect((await deleteAccount(browser)).url.pathname).toBe('/sign-in');
      await server.accounts.remove(other.id, origin);
      await server.accounts.remove(id, origin);
    });

    it('lets one administrator stay when the last two leave concurrently', async () => {
      const two = [await server.addAccount({ role: 'admin' }), await server.addAccount({ role: 'admin' })];
      await Promise.allSettled(two.map(({ id }) => server.accounts.requestDeletion(id, origin)));
      const left = await Promise.all(two.map(({ id }) => server.accounts.get(id)));
      expect(left.filter(({ status }) => status === 'active').length).toBeGreaterThan(0);
      for (const { id } of two) await server.accounts.remove(id, origin);
    });

    it('is requested once by several concurrent calls', async () => {
      const { id } = await server.addAccount();
      const requests = Array.from({ length: 5 }, () => server.accounts.requestDeletion(id, origin));
      const outcomes = await Promise.allSettled(requests);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });
  });

  describe('a user whose account will be deleted', () => {
    it('can only keep it after a sign-in', async () => {
      const { email, id } = await addLeavingUser();
      const { browser, page } = await signInTo(email);
      expect(page.url.pathname).toBe('/keep-account');
      expect(page.html).toContain(email);
      for (const path of [
        '/account/password',
        '/account/delete',
        '/account/developer/applications',
        '/sign-in',
      ])
        expect((await browser.open(path)).url.pathname).toBe('/keep-account');
      const kept = await browser.submit(page, 'keep-account');
      expect(kept.url.pathname).toBe('/account');
      expect(kept.html).toContain('Your account stays.');
      expect(await typesOf(id)).toEqual(
        expect.arrayContaining(['account.deletion_requested', 'account.deletion_cancelled']),
      );
      await server.accounts.purgeExpired(afterwards(), 100);
      expect((await server.accounts.get(id)).status).toBe('active');
    });

    it('can reset the password by mail, and then keep the account', async () => {
      const { email, id, browser } = await addLeavingUser();
      const { deletionDueAt } = await server.accounts.get(id);
      await browser.submit(await browser.open('/forgot-password'), 'forgot-password', { email });
      const page = await browser.open(await mailbox.linkTo(email, '/reset-password'));
      const done = await browser.submit(page, 'reset-password', { password: newPassword });
      expect(done.url.pathname).toBe('/sign-in');
      expect(await server.accounts.get(id)).toMatchObject({ status: 'pending_deletion', deletionDueAt });
      const keep = await browser.submit(done, 'sign-in', { email, password: newPassword });
      expect(keep.url.pathname).toBe('/keep-account');
      expect((await browser.submit(keep, 'keep-account')).url.pathname).toBe('/account');
    });

    it('cannot reset the password once the deletion is due', async () => {
      const { email, browser } = await addLeavingUser();
      await browser.submit(await browser.open('/forgot-password'), 'forgot-password', { email });
      const link = await mailbox.linkTo(email, '/reset-password');
      const { time } = server;
      const { ahead } = time;
      await server.accounts.requestPasswordReset({ email }, origin);
      time.ahead = ahead + 14 * DAY_MS;
      expect((await browser.open(link)).status).toBe(400);
      time.ahead = ahead;
    });

    it('gets no authorization response for an application (OpenID Connect Core §3.1.2.1)', async () => {
      const journey = await startJourney(server, { role: 'customer' });
      await server.accounts.requestDeletion(journey.accountId, origin);
      const { url } = await createRequest(journey);
      const page = await signIn(journey, await journey.browser.open(url));
      expect(page.url.pathname).toBe('/keep-account');
    });

    it('gets the same page for a wrong password as other users (OWASP ASVS 5.0 §6.3.8)', async () => {
      const { email } = await addLeavingUser();
      const browser = createBrowser(server.url);
      const page = await browser.open('/sign-in');
      const wrong = await browser.submit(page, 'sign-in', { email, password: 'not that one' });
      expect([wrong.status, wrong.url.pathname]).toEqual([400, '/sign-in']);
    });
  });

  describe('an account whose days are over', () => {
    it('is deleted with its credentials, once, by several concurrent processes', async () => {
      const { id, email } = await addLeavingUser();
      await storage.get().audit.list({ accountId: id, limit: 1 });
      await server.accounts.purgeExpired(now(), 100);
      expect((await server.accounts.get(id)).status).toBe('pending_deletion');
      await Promise.all(Array.from({ length: 3 }, () => server.accounts.purgeExpired(afterwards(), 100)));
      expect(await server.accounts.find(id)).toBeUndefined();
      expect(await storage.get().accounts.findByEmail(email)).toBeUndefined();
      const { browser, page } = await signInTo(email, '/sign-in');
      expect([page.status, (await browser.open('/account')).url.pathname]).toEqual([400, '/sign-in']);
    });

    it('cannot be kept once the deletion has begun', async () => {
      const { id } = await addLeavingUser();
      const { credentialEpoch } = await server.accounts.get(id);
      server.time.ahead += 15 * DAY_MS;
      await expect(server.accounts.keepAccount(id, credentialEpoch, origin)).rejects.toThrow('has begun');
      server.time.ahead -= 15 * DAY_MS;
    });

    it('is either kept or deleted when both happen concurrently', async () => {
      const { id } = await addLeavingUser();
      const { credentialEpoch } = await server.accounts.get(id);
      const [kept] = await Promise.allSettled([
        server.accounts.keepAccount(id, credentialEpoch, origin),
        server.accounts.purgeExpired(afterwards(), 100),
      ]);
      const account = await server.accounts.find(id);
      expect(account?.status).toBe(kept.status === 'fulfilled' ? 'active' : undefined);
    });
  });
});

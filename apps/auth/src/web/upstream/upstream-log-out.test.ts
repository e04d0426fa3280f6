import { randomUUID } from 'node:crypto';
import * as oauth from 'openid-client';
import { describe, expect, it, vi } from 'vitest';
import { startReceiver } from '../../provider/log-out/receiver.fixture.ts';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { setUpApp } from '../../tests/authenticator-app.fixture.ts';
import { type Browser, createBrowser } from '../../tests/browser.fixture.ts';
import { createRequest, redeem, startJourney } from '../../tests/people.fixture.ts';
import { password } from '../../tests/test-server.fixture.ts';
import type { Misbehavior } from './hostile-provider.fixture.ts';
import { isSignedIn, newAddress, newUser, signIn, useUpstreamServer } from './upstream-server.fixture.ts';

/** Generous limit that only a hanging test reaches. */
const patient = { timeout: 30_000 };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const used = useUpstreamServer(storage);

  /** Signs a user of the provider in, in a new browser, with a session there. */
  async function signInThere(user = newUser(newAddress()), sid: string | undefined = randomUUID()) {
    used.upstream.user = { ...user, ...(sid !== undefined && { sid }) };
    const browser = createBrowser(used.server.url);
    return { browser, user, sid, page: await signIn(used, browser) };
  }
  const isStillSignedIn = async (browser: Browser) => isSignedIn(await browser.open('/account'));

  const post = (logoutToken: string, provider = 'acme') =>
    fetch(`${used.server.url}/sign-in/with/${provider}/back-channel-log-out`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: logoutToken }),
    });
  const logOutThere = async (claims: Record<string, unknown>) =>
    (await post(await used.upstream.createLogoutToken(claims))).status;

  describe('a log-out at the provider (OpenID Connect Back-Channel Logout 1.0 §2.5–2.7)', () => {
    it('ends the session that it opened for an application, with its tokens, and notifies the application', async () => {
      const receiver = await startReceiver();
      const journey = await startJourney(used.server, { client: { backchannelLogoutUri: receiver.url } });
      const sid = randomUUID();
      used.upstream.user = newUser(newAddress(), { sid });
      const request = await createRequest(journey, { idp_hint: 'acme' });
      const left = await journey.browser.open(request.url);
      const consent = await journey.browser.open(await used.upstream.authorize(left.url));
      const { url } = await journey.browser.submit(consent, 'consent', { decision: 'allow' });
      const tokens = await redeem(journey, request, url);

      expect(await logOutThere({ sid, sub: used.upstream.user.sub })).toBe(200);
      expect(await isStillSignedIn(journey.browser)).toBe(false);
      const refresh = oauth.refreshTokenGrant(journey.application, tokens.refresh_token ?? '');
      await expect(refresh).rejects.toMatchObject({ error: 'invalid_grant' });
      await vi.waitFor(() => expect(receiver.forms).toHaveLength(1), patient);
      receiver.stop();
      const types = ['session.ended'] as const;
      const accountId = tokens.claims()?.sub ?? '';
      const records = await storage.get().audit.list({ accountId, types, limit: 5 });
      expect(records).toMatchObject([{ details: { provider: 'acme', session: expect.any(String) } }]);
    });

    it('ends only the session that sid names, with and without sub', async () => {
      for (const hasSub of [true, false]) {
        const [phone, laptop] = [await signInThere(), await signInThere()];
        const same = await signInThere(phone.user);
        const sub = hasSub ? phone.user.sub : undefined;
        expect(await logOutThere({ sid: phone.sid, sub })).toBe(200);
        for (const [{ browser }, is] of [
          [phone, false],
          [laptop, true],
          [same, true],
        ] as const)
          expect(await isStillSignedIn(browser)).toBe(is);
      }
    });

    it('ends every session of its user here that sub names, but none that another sign-in opened', async () => {
      const first = await signInThere(undefined, undefined);
      const second = await signInThere(first.user);
      const { id, email } = await used.server.addAccount();
      const own = createBrowser(used.server.url);
      await own.submit(await own.open('/sign-in'), 'sign-in', { email, password });
      await storage.get().identities.replace(
        {
          accountId: id,
          identities: [
            {
              id: randomUUID(),
              providerId: 'acme',
              issuer: used.upstream.issuer,
              subject: `other ${id}`,
              label: null,
              linkedAt: new Date(),
              lastUsedAt: null,
            },
          ],
          version: 1,
        },
        0,
      );
      expect(await logOutThere({ sub: `other ${id}` })).toBe(200);
      expect(await isStillSignedIn(own)).toBe(true);
      expect(await logOutThere({ sub: first.user.sub })).toBe(200);
      for (const { browser } of [first, second]) expect(await isStillSignedIn(browser)).toBe(false);
    });

    it('ends a session that got its second factor here', async () => {
      const email = newAddress();
      await used.server.addAccount({ email, role: 'agent' });
      const { browser, page, sid } = await signInThere(newUser(email));
      const { shown } = await setUpApp(browser, page, used.server);
      await browser.submit(shown, 'continue');
      expect(await isStillSignedIn(browser)).toBe(true);
      expect(await logOutThere({ sid })).toBe(200);
      expect(await isStillSignedIn(browser)).toBe(false);
    });

    it('of an unknown session or user succeeds', async () => {
      expect(await logOutThere({ sid: 'unknown', sub: 'unknown' })).toBe(200);
      expect(await logOutThere({ sid: 'unknown' })).toBe(200);
    });

    it('is accepted once (§2.6, step 8)', async () => {
      const first = await signInThere();
      const token = await used.upstream.createLogoutToken({ sub: first.user.sub });
      expect((await post(token)).status).toBe(200);
      const second = await signInThere(first.user);
      expect((await post(token)).status).toBe(400);
      expect(await isStillSignedIn(second.browser)).toBe(true);
    });
  });

  describe('a logout token (OpenID Connect Back-Channel Logout 1.0 §2.6)', () => {
    const seconds = Math.floor(Date.now() / 1000);
    it.each<[string, Record<string, unknown>, Misbehavior?]>([
      ['of another issuer', { iss: 'https://other.example' }],
      ['for another audience', { aud: 'another' }],
      ['without iat', { iat: undefined }],
      ['of long ago', { iat: seconds - 3_600 }],
      ['without exp', { exp: undefined }],
      ['that has expired', { exp: seconds - 600 }],
      ['without events', { events: undefined }],
      ['with another event', { events: { 'https://example.org/other': {} } }],
      ['with a malformed event', { events: { 'http://schemas.openid.net/event/backchannel-logout': true } }],
      ['with a nonce', { nonce: 'n' }],
      ['without jti', { jti: undefined }],
      ['with neither sid nor sub', { sid: undefined, sub: undefined }],
      ['with a malformed sid', { sid: 5 }],
      ['of another type', {}, { typ: 'at+jwt' }],
      ['without a signature', {}, { algorithm: 'none' }],
      ['signed with the secret', {}, { algorithm: 'HS256' }],
      ['of another algorithm', {}, { algorithm: 'ES256' }],
      ['signed with another key', {}, { hasOtherKey: true }],
    ])('%s is rejected', async (_, claims, misbehavior = {}) => {
      const { browser, user, sid } = await signInThere();
      used.upstream.misbehavior = misbehavior;
      const token = await used.upstream.createLogoutToken({ sub: user.sub, sid, ...claims });
      used.upstream.misbehavior = {};
      const response = await post(token);
      expect([response.status, response.headers.get('cache-control')]).toEqual([400, 'no-store']);
      expect(await response.json()).toMatchObject({ error: 'invalid_request' });
      expect(await isStillSignedIn(browser)).toBe(true);
    });

    it.each(['', 'x', 'e30.e30.', 'x'.repeat(9_000)])('that is none is rejected: %s', async (text) => {
      expect((await post(text)).status).toBe(400);
    });

    it('is rejected at another provider', async () => {
      const { browser, user } = await signInThere();
      expect((await post(await used.upstream.createLogoutToken({ sub: user.sub }), 'other')).status).toBe(
        400,
      );
      expect(await isStillSignedIn(browser)).toBe(true);
      expect((await post('x', 'unknown')).status).toBe(404);
    });

    it('is accepted although its key is newer than the keys that were just fetched (Core §10.1.1)', async () => {
      const [first, second] = [await signInThere(), await signInThere()];
      expect(await logOutThere({ sid: first.sid })).toBe(200);
      await used.upstream.rotateKey();
      expect(await logOutThere({ sid: second.sid })).toBe(200);
      expect(await isStillSignedIn(second.browser)).toBe(false);
    });

    it('waits for a provider whose keys are not available', async () => {
      const token = await used.other.createLogoutToken({ sub: 'ada' });
      used.other.misbehavior = { status: 503 };
      used.server.time.ahead += 700_000;
      const response = await post(token, 'other');
      expect([response.status, response.headers.has('retry-after')]).toEqual([503, true]);
    });
  });

  describe('a front-channel log-out (OpenID Connect Front-Channel Logout 1.0 §2)', () => {
    const open = (query: Record<string, string>) =>
      fetch(`${used.server.url}/sign-in/with/acme/front-channel-log-out?${new URLSearchParams(query)}`);

    it('ends the session that iss and sid name', async () => {
      const { browser, sid = '' } = await signInThere();
      const other = await signInThere();
      const response = await open({ iss: used.upstream.issuer, sid });
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache, no-store']);
      expect(await isStillSignedIn(browser)).toBe(false);
      expect(await isStillSignedIn(other.browser)).toBe(true);
    });

    it('is rejected without sid, without iss, or with that of another provider', async () => {
      const { browser, sid = '' } = await signInThere();
      const { issuer } = used.upstream;
      for (const query of [
        { iss: issuer },
        { sid },
        { iss: used.other.issuer, sid },
        { iss: issuer, sid: '' },
      ])
        expect((await open(query as Record<string, string>)).status).toBe(400);
      expect(await isStillSignedIn(browser)).toBe(true);
    });
  });

  describe('a sign-out here (OpenID Connect RP-Initiated Logout 1.0 §2)', () => {
    const signOut = async (browser: Browser) =>
      browser.submit(await browser.open('/session/end'), 'log-out', { logout: 'yes' });

    it('offers the log-out at the provider once', async () => {
      const { browser } = await signInThere();
      expect((await signOut(browser)).html).toContain('Sign out at Acme Directory');
      const left = await browser.open('/sign-in/with/acme/log-out');
      expect(left.url.href).toContain(`${used.upstream.issuer}/end?`);
      expect(Object.fromEntries(left.url.searchParams)).toEqual({
        client_id: 'keydesk',
        post_logout_redirect_uri: `${used.server.url}/session/end/success`,
      });
      expect((await browser.open('/session/end/success')).html).not.toContain('upstream-log-out');
    });

    it('offers none to users who signed in here, or at a provider without the setting', async () => {
      const { email } = await used.server.addAccount();
      const browser = createBrowser(used.server.url);
      await browser.submit(await browser.open('/sign-in'), 'sign-in', { email, password });
      expect((await signOut(browser)).html).not.toContain('upstream-log-out');
      expect((await browser.open('/sign-in/with/other/log-out')).url.pathname).toBe('/session/end/success');
    });
  });
});

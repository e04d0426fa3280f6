import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createBrowser } from '../../tests/browser.fixture.ts';
import {
  createRequest,
  type Journey,
  LOGGED_OUT_URI,
  obtainTokens,
  startJourney,
} from '../../tests/people.fixture.ts';
import { startTestServer } from '../../tests/test-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;

  const endSession = (parameters: Record<string, string>) => {
    const url = new URL('/session/end', server.url);
    url.search = String(new URLSearchParams(parameters));
    return url;
  };
  const isSignedIn = async () => {
    const { url } = await createRequest(journey, { prompt: 'none', scope: 'openid' });
    return (await journey.browser.open(url)).url.searchParams.get('error') !== 'login_required';
  };
  const auditOf = async () => {
    const records = await storage.get().audit.list({ accountId: journey.accountId, limit: 50 });
    return records.map(({ type, clientId }) => [type, clientId]);
  };

  describe('log-out (OpenID Connect RP-Initiated Logout 1.0)', () => {
    beforeEach(async () => {
      journey = await startJourney(server);
    });

    it('asks the user first and does nothing if they cancel (§2)', async () => {
      const { id_token: hint = '' } = await obtainTokens(journey);
      const page = await journey.browser.open(endSession({ id_token_hint: hint }));
      expect(page.html).toContain('id="log-out"');
      expect(page.html).toContain(journey.email);
      await journey.browser.submit(page, 'log-out');
      expect(await isSignedIn()).toBe(true);
    });

    it('is recorded as the end of a session only if the user confirms', async () => {
      const signOuts = async () => (await auditOf()).filter(([type]) => type === 'account.signed_out').length;
      const { id_token: id_token_hint = '' } = await obtainTokens(journey);
      const ask = () => journey.browser.open(endSession({ id_token_hint }));
      await journey.browser.submit(await ask(), 'log-out');
      expect(await signOuts()).toBe(0);
      await journey.browser.submit(await ask(), 'log-out', { logout: 'yes' });
      await expect.poll(signOuts).toBe(1);
    });

    it('is recorded with the user as actor, whichever application requested it', async () => {
      const { accountId, clientId } = journey;
      const { id_token: id_token_hint = '' } = await obtainTokens(journey, { scope: 'openid', prompt: '' });
      const page = await journey.browser.open(endSession({ id_token_hint }));
      await journey.browser.submit(page, 'log-out', { logout: 'yes' });
      const types = ['account.signed_out', 'grant.revoked'] as const;
      const records = () => storage.get().audit.list({ accountId, types, limit: 50 });
      const byUser = { actor: accountId, clientId };
      await expect.poll(records).toEqual(types.map((type) => expect.objectContaining({ ...byUser, type })));
    });

    it('shows a confirmation page without a redirect target', async () => {
      await obtainTokens(journey);
      const page = await journey.browser.open(endSession({}));
      const end = await journey.browser.submit(page, 'log-out', { logout: 'yes' });
      expect([end.url.pathname, end.status]).toEqual(['/session/end/success', 200]);
      expect(await isSignedIn()).toBe(false);
    });

    it('redirects at once without a session, without a page that needs a script', async () => {
      const asked = { client_id: journey.clientId, post_logout_redirect_uri: LOGGED_OUT_URI, state: 'a b' };
      const back = await createBrowser(server.url).open(endSession(asked));
      expect(back.url.href).toBe(`${LOGGED_OUT_URI}?state=a+b`);
      const done = await createBrowser(server.url).open(endSession({}));
      expect([done.url.pathname, done.status]).toEqual(['/session/end/success', 200]);
    });

    it('never redirects to an unregistered URI, signed in or not (§3, RFC 9700 §4.11)', async () => {
      const evil = { client_id: journey.clientId, post_logout_redirect_uri: 'https://evil.example/' };
      const stranger = await createBrowser(server.url).open(endSession(evil));
      await obtainTokens(journey);
      const person = await journey.browser.open(endSession(evil));
      for (const page of [stranger, person])
        expect([page.status, page.html.includes('error-invalid-request')]).toEqual([400, true]);
      const unnamed = { post_logout_redirect_uri: LOGGED_OUT_URI };
      const end = await createBrowser(server.url).open(endSession(unnamed));
      expect(end.url.pathname).toBe('/session/end/success');
    });

    it('rejects an altered hint (§4)', async () => {
      const { id_token: hint = '' } = await obtainTokens(journey);
      const [header, , signature] = hint.split('.');
      const claims = { iss: server.url, aud: journey.clientId, sub: 'somebody-else' };
      const forged = Buffer.from(JSON.stringify(claims)).toString('base64url');
      for (const altered of [`${header}.${forged}.${signature}`, 'no.jwt.at-all', 'x']) {
        const page = await journey.browser.open(endSession({ id_token_hint: altered }));
        expect([page.status, page.html.includes('error-invalid-request')]).toEqual([400, true]);
        expect(page.html).toMatch(/href="\/session\/end"[^>]* id="sign-out"/);
      }
    });

    it('offers sign-out if the requesting client has been disabled (§4)', async () => {
      const { id_token: id_token_hint = '' } = await obtainTokens(journey);
      await server.clients.setStatus(journey.clientId, 'disabled');
      const page = await journey.browser.open(endSession({ id_token_hint }));
      expect([page.status, page.html.includes('error-unknown-client')]).toEqual([400, true]);
      expect(page.html).toMatch(/href="\/session\/end"[^>]* id="sign-out"/);
    });

    it('uses a hint whose key was deleted only to identify the client', async () => {
      const { id_token: hint = '' } = await obtainTokens(journey);
      const [header = '', payload, signature] = hint.split('.');
      const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString());
      const old = Buffer.from(JSON.stringify({ alg, kid: 'a-key-of-last-year' })).toString('base64url');
      const asked = {
        id_token_hint: `${old}.${payload}.${signature}`,
        post_logout_redirect_uri: LOGGED_OUT_URI,
      };
      const page = await journey.browser.open(endSession(asked));
      expect([page.status, page.html.includes('Printshop Status')]).toEqual([200, true]);
      const end = await journey.browser.submit(page, 'log-out', { logout: 'yes' });
      expect(end.url.href).toBe(LOGGED_OUT_URI);
    });

    it.each(['', 'wrong'])('ignores a form with the token "%s" (CSRF)', async (xsrf) => {
      await obtainTokens(journey);
      const page = await journey.browser.open(endSession({}));
      const refused = await journey.browser.submit(page, 'log-out', { logout: 'yes', xsrf });
      expect([refused.status, refused.html.includes('<h1')]).toEqual([400, true]);
      expect(await isSignedIn()).toBe(true);
    });

    it('revokes only tokens that were issued for the session', async () => {
      const tokens = await obtainTokens(journey, { scope: 'openid' });
      const page = await journey.browser.open(endSession({}));
      await journey.browser.submit(page, 'log-out', { logout: 'yes' });
      const userinfo = oauth.fetchUserInfo(journey.application, tokens.access_token, journey.accountId);
      await expect(userinfo).rejects.toMatchObject({ status: 401 });
    });
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { useStarted } from '@keydesk/testing';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { createBrowser } from '../../tests/browser.fixture.ts';
import { createRequest, type Journey, obtainTokens, startJourney } from '../../tests/people.fixture.ts';
import { password, startTestServer } from '../../tests/test-server.fixture.ts';
import { type Receiver, startReceiver } from './receiver.fixture.ts';

const operator = { address: 'cli', actor: 'operator' };

/** Generous limit that only a hanging test reaches. */
const patient = { timeout: 30_000 };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;

  const auditOf = async () => {
    const records = await storage.get().audit.list({ accountId: journey.accountId, limit: 50 });
    return records.map(({ type, clientId }) => [type, clientId]);
  };

  describe('the applications of a session (OpenID Connect Back-Channel Logout 1.0)', () => {
    let receiver: Receiver;
    beforeEach(async () => {
      receiver = await startReceiver();
      journey = await startJourney(server, { client: { backchannelLogoutUri: receiver.url } });
      return () => receiver.stop();
    });

    async function logOut(): Promise<void> {
      const page = await journey.browser.open('/session/end');
      await journey.browser.submit(page, 'log-out', { logout: 'yes' });
    }

    it('are notified by a signed token with the user and the session (§2.4)', async () => {
      const tokens = await obtainTokens(journey);
      const sid = tokens.claims()?.sid;
      await logOut();
      await vi.waitFor(() => expect(receiver.forms).toHaveLength(1), patient);
      const keys = createRemoteJWKSet(new URL(`${server.url}/jwks`));
      const { payload } = await jwtVerify(receiver.forms[0]?.get('logout_token') ?? '', keys, {
        issuer: server.url,
        audience: journey.clientId,
        typ: 'logout+jwt',
      });
      expect(sid).toEqual(expect.any(String));
      expect(payload).toMatchObject({
        sub: journey.accountId,
        sid,
        jti: expect.any(String),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      });
      expect(payload).not.toHaveProperty('nonce');
      const sent = ['client.logout_token_sent', journey.clientId];
      await vi.waitFor(async () => expect(await auditOf()).toContainEqual(sent), patient);
    });

    it('are notified when another user signs in instead, or access is revoked on another device', async () => {
      await obtainTokens(journey);
      const phone = { ...journey, browser: createBrowser(server.url) };
      const sid = (await obtainTokens(phone)).claims()?.sid;
      const consent = await journey.browser.open((await createRequest(journey)).url);
      await journey.browser.submit(consent, 'switch-account');
      await vi.waitFor(() => expect(receiver.forms).toHaveLength(1), patient);
      const tablet = { ...journey, browser: createBrowser(server.url) };
      await obtainTokens(tablet);
      const page = await tablet.browser.open('/account/applications');
      await tablet.browser.submit(page, `revoke-${journey.clientId}`);
      await vi.waitFor(() => expect(receiver.forms).toHaveLength(3), patient);
      const claims = receiver.forms.map((form) => decodeJwt(form.get('logout_token') ?? ''));
      expect(claims.map((each) => each.sid)).toContain(sid);
      expect(new Set(claims.map(({ sub }) => sub))).toEqual(new Set([journey.accountId]));
    });

    it('are notified of a revocation even if it is interrupted (§2)', async () => {
      const { artifacts, ...others } = storage.get();
      const revokeGrant = () => Promise.reject(new Error('the process was killed'));
      const dying = await startTestServer({ ...others, artifacts: { ...artifacts, revokeGrant } });
      journey = await startJourney(dying, { client: { backchannelLogoutUri: receiver.url } });
      const sid = (await obtainTokens(journey)).claims()?.sid;
      const page = await journey.browser.open('/account/applications');
      const failed = await journey.browser.submit(page, `revoke-${journey.clientId}`);
      expect(failed.status).toBe(500);
      await vi.waitFor(() => expect(receiver.forms).toHaveLength(1), patient);
      expect(decodeJwt(receiver.forms[0]?.get('logout_token') ?? '')).toMatchObject({ sid });
      await dying.stop();
    });

    it('are notified when another user signs in without an application on a page that was left open', async () => {
      const page = await journey.browser.open('/sign-in');
      await obtainTokens(journey);
      const { email } = await server.addAccount();
      await journey.browser.submit(page, 'sign-in', { email, password });
      await vi.waitFor(() => expect(receiver.forms).toHaveLength(1), patient);
    });

    it('are notified when another user signs in for an application on a page that was left open', async () => {
      const page = await journey.browser.open((await createRequest(journey)).url);
      await obtainTokens(journey);
      const { email } = await server.addAccount();
      const next = await journey.browser.submit(page, 'sign-in', { email, password });
      expect(next.html).toContain('id="consent"');
      await vi.waitFor(() => expect(receiver.forms).toHaveLength(1), patient);
    });

    it('are notified again with a new token after a failed attempt; a redirect is not followed', async () => {
      receiver.statuses = [302];
      await obtainTokens(journey);
      await logOut();
      await vi.waitFor(() => expect(receiver.forms).toHaveLength(2), patient);
      const [first, second] = receiver.forms.map((form) => form.get('logout_token'));
      expect(second).toBeTruthy();
      expect(second).not.toBe(first);
    });

    it.each([
      ['disabled', () => server.accounts.disable(journey.accountId, operator)],
      ['removed', () => server.accounts.remove(journey.accountId, operator)],
      [
        'given a new password',
        () => {
          const change = { accountId: journey.accountId, newPassword: 'seven quiet harbours' };
          return server.accounts.setPassword(change, operator);
        },
      ],
    ])('are notified by a running server when the account is %s by command (§2)', async (_, command) => {
      const sid = (await obtainTokens(journey)).claims()?.sid;
      await command();
      await vi.waitFor(() => expect(receiver.forms).toHaveLength(1), patient);
      const claims = decodeJwt(receiver.forms[0]?.get('logout_token') ?? '');
      expect(claims).toMatchObject({ sub: journey.accountId, sid });
      const sent = { type: 'client.logout_token_sent', actor: 'operator', address: 'cli' };
      await vi.waitFor(async () => {
        const records = await storage.get().audit.list({ clientId: journey.clientId, limit: 5 });
        expect(records).toContainEqual(expect.objectContaining(sent));
      }, patient);
    });

    it('are notified once, however many servers run', async () => {
      const others = [await startTestServer(storage.get()), await startTestServer(storage.get())];
      await obtainTokens(journey);
      await server.accounts.disable(journey.accountId, operator);
      await vi.waitFor(() => expect(receiver.forms).toHaveLength(1), patient);
      await sleep(3_000);
      expect(receiver.forms).toHaveLength(1);
      await Promise.all(others.map((each) => each.stop()));
    });

    it('do not delay log-out and are notified by another server if this one stops', async () => {
      const stopping = await startTestServer(storage.get());
      journey = await startJourney(stopping, { client: { backchannelLogoutUri: receiver.url } });
      receiver.statuses = [500];
      await obtainTokens(journey);
      const page = await journey.browser.open('/session/end');
      await journey.browser.submit(page, 'log-out', { logout: 'yes' });
      await vi.waitFor(() => expect(receiver.forms).toHaveLength(1), patient);
      await stopping.stop();
      await vi.waitFor(() => expect(receiver.forms).toHaveLength(2), patient);
    });

    it('that reject every attempt are recorded in the audit log and the server log', async () => {
      receiver.statuses = [500, 500, 500];
      await obtainTokens(journey);
      await logOut();
      const failed = ['client.logout_token_failed', journey.clientId];
      await vi.waitFor(async () => expect(await auditOf()).toContainEqual(failed), patient);
      expect(receiver.forms).toHaveLength(3);
      expect(server.lines().map(({ msg }) => msg)).toContain('a log-out notification failed');
    });

    it('are not called at a private address in production', async () => {
      const database = await engine.createDatabase();
      const own = await openStorage(database.location);
      const strict = await startTestServer(own, { config: { allowsPrivateAddresses: false } });
      for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
        const backchannelLogoutUri = receiver.url.replace('127.0.0.1', host);
        journey = await startJourney(strict, { client: { backchannelLogoutUri } });
        await obtainTokens(journey);
        const page = await journey.browser.open('/session/end');
        await journey.browser.submit(page, 'log-out', { logout: 'yes' });
      }
      const failed = { types: ['client.logout_token_failed'], limit: 5 } as const;
      await vi.waitFor(async () => expect(await own.audit.list(failed)).toHaveLength(3), patient);
      expect(receiver.forms).toEqual([]);
      await strict.stop();
      await own.close();
      await database.drop();
    });
  });
});

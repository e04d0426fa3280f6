import { useStarted } from '@keydesk/testing';
import { decodeJwt } from 'jose';
import * as oauth from 'openid-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { updateDocument } from '../../../accounts/credentials/change-document.ts';
import { createFactors } from '../../../accounts/factors/factors.ts';
import { startReceiver } from '../../../provider/log-out/receiver.fixture.ts';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../../tests/browser.fixture.ts';
import { type Journey, obtainTokens, startJourney } from '../../../tests/people.fixture.ts';
import { password, startTestServer } from '../../../tests/test-server.fixture.ts';

const TEN_MINUTES_MS = 600_000;

/** Generous limit that only a hanging test reaches. */
const patient = { timeout: 30_000 };

const firefox = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
};
const phone = {
  'User-Agent':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
};

/** Returns the ids of the sessions that the page offers to end. */
function endable({ html }: Page): string[] {
  return [...html.matchAll(/<form id="end-session-(\w+)"/g)].map(([, id = '']) => id);
}

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));

  const open = ({ browser }: Pick<Journey, 'browser'>) => browser.open('/account/sessions');
  const end = ({ browser }: Pick<Journey, 'browser'>, page: Page, id: string) =>
    browser.submit(page, `end-session-${id}`);
  /** The same person in another browser. */
  const on = (journey: Journey, headers: Record<string, string>): Journey => ({
    ...journey,
    browser: createBrowser(server.url, headers),
  });
  const isSignedIn = async (browser: Browser) => (await browser.open('/account')).url.pathname === '/account';
  const refresh = (
    { application }: Journey,
    { refresh_token = '' }: { refresh_token?: string | undefined },
  ) => oauth.refreshTokenGrant(application, refresh_token);
  const endedRecords = ({ accountId }: Journey) =>
    storage.get().audit.list({ accountId, types: ['session.ended'], limit: 10 });

  describe('the sessions of an account (OWASP ASVS 5.0 §7.5.2)', () => {
    it('are listed with device, network address and applications, the current one first', async () => {
      const journey = on(await startJourney(server), firefox);
      await obtainTokens(on(journey, phone));
      await obtainTokens(journey, { scope: 'openid', prompt: '' });
      const page = await open(journey);
      const [own = '', other = ''] = page.html.split('<li class="card"').slice(1);
      expect(own).toContain('Firefox on Linux');
      expect(own).toContain('id="this-device"');
      expect(other).toContain('Safari on iOS');
      expect(other).toContain('127.0.0.1');
      expect(other).toContain('Printshop Status');
      expect(endable(page)).toHaveLength(1);
    });

    it('are only the current one, without a button that ends it, after a sign-in on the account pages', async () => {
      const journey = on(await startJourney(server), firefox);
      const page = await journey.browser.open('/account/sessions');
      const { email } = journey;
      const shown = await journey.browser.submit(page, 'sign-in', { email, password: password });
      expect(shown.html).toContain('Firefox on Linux');
      expect(endable(shown)).toEqual([]);
      expect(shown.html).not.toContain('id="end-other-sessions"');
    });

    it('show no name that a client made up', async () => {
      const journey = on(await startJourney(server), {
        'User-Agent': 'Visit https://evil.example now/1.0 (x) ',
      });
      await obtainTokens(journey);
      expect((await open(journey)).html).not.toContain('evil.example');
    });

    it('record their use at most every five minutes on the account pages', async () => {
      const { artifacts, ...others } = storage.get();
      let writes = 0;
      const counting = await startTestServer({
        ...others,
        artifacts: {
          ...artifacts,
          upsert(artifact) {
            if (artifact.model === 'Session') writes += 1;
            return artifacts.upsert(artifact);
          },
        },
      });
      const journey = await startJourney(counting);
      await obtainTokens(journey);
      const lastUsed = async () =>
        /Last used<\/dt><dd><time datetime="([^"]+)"/.exec((await open(journey)).html)?.[1];
      const first = await lastUsed();
      writes = 0;
      expect(await lastUsed()).toBe(first);
      expect(writes).toBe(0);
      counting.time.ahead = 360_000;
      const second = await lastUsed();
      expect(Date.parse(second ?? '') - Date.parse(first ?? '')).toBeGreaterThanOrEqual(360_000);
      expect(await lastUsed()).toBe(second);
      expect(writes).toBe(1);
      await counting.stop();
    });

    it('include the devices that are not asked for the second factor, until they expire', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey);
      const { accountId } = journey;
      const createdAt = new Date();
      const device = {
        id: 'a',
        description: 'Chrome on Android',
        digest: 'x',
        credentialEpoch: 0,
        createdAt,
      };
      const trustedDevices = [
        { ...device, expiresAt: new Date(Date.now() + 86_400_000) },
        { ...device, id: 'b', description: 'Old phone', digest: 'y', expiresAt: new Date(Date.now() - 1) },
      ];
      const factors = updateDocument(createFactors(accountId), { trustedDevices });
      await storage.get().factors.replace(factors, 0);
      const { html } = await open(journey);
      expect(html).toContain('Chrome on Android');
      expect(html).not.toContain('Old phone');
    });
  });

  describe('a session that its owner ends (OWASP ASVS 5.0 §7.4.1)', () => {
    it('gives no access any more, and neither do the tokens that were issued in it', async () => {
      const journey = await startJourney(server);
      const tokens = await obtainTokens(journey);
      const other = on(journey, phone);
      const lost = await obtainTokens(other);
      const page = await open(journey);
      const [id = ''] = endable(page);
      const shown = await end(journey, page, id);
      expect(shown.html).toContain('The device is signed out');
      expect(endable(shown)).toEqual([]);

      expect(await isSignedIn(other.browser)).toBe(false);
      await expect(refresh(other, lost)).rejects.toMatchObject({ error: 'invalid_grant' });
      const access = await oauth.tokenIntrospection(other.application, lost.access_token);
      expect(access.active).toBe(false);

      expect(await isSignedIn(journey.browser)).toBe(true);
      expect((await refresh(journey, tokens)).access_token).toEqual(expect.any(String));
      const { accountId: actor } = journey;
      expect(await endedRecords(journey)).toMatchObject([
        { actor, address: '127.0.0.1', details: { session: id } },
      ]);
    });

    it('is notified to its applications by a logout token (OpenID Connect Back-Channel Logout 1.0 §2.4)', async () => {
      const receiver = await startReceiver();
      const journey = await startJourney(server, { client: { backchannelLogoutUri: receiver.url } });
      await obtainTokens(journey);
      const sid = (await obtainTokens(on(journey, phone))).claims()?.sid;
      const page = await open(journey);
      await end(journey, page, endable(page)[0] ?? '');
      await vi.waitFor(() => expect(receiver.forms).toHaveLength(1), patient);
      const claims = decodeJwt(receiver.forms[0]?.get('logout_token') ?? '');
      expect(claims).toMatchObject({ sub: journey.accountId, sid });
      receiver.stop();
    });

    it('ends once, however often that is asked at the same time', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey);
      await obtainTokens(on(journey, phone));
      const page = await open(journey);
      const [id = ''] = endable(page);
      const answers = await Promise.all([1, 2, 3, 4].map(() => end(journey, page, id)));
      expect(answers.map(({ status }) => status)).not.toContain(500);
      expect(await endedRecords(journey)).toHaveLength(1);
      expect((await end(journey, page, id)).status).toBe(404);
    });

    it('ends only after a fresh authentication (OWASP ASVS 5.0 §7.5.2)', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey);
      await obtainTokens(on(journey, phone));
      const page = await open(journey);
      const [id = ''] = endable(page);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + TEN_MINUTES_MS });
      onTestFinished(() => void vi.useRealTimers());
      const { email } = journey;
      for (const form of [`end-session-${id}`, 'end-other-sessions']) {
        const asked = await journey.browser.submit(page, form);
        expect(asked.url.pathname).toBe('/sign-in');
        if (form !== 'end-other-sessions') continue;
        const shown = await journey.browser.submit(asked, 'sign-in', { email, password });
        expect(endable(shown)).toEqual([id]);
        expect(endable(await end(journey, shown, id))).toEqual([]);
      }
    });

    it('of another account is not found, as one that does not exist (CWE-639)', async () => {
      const [journey, stranger] = [await startJourney(server), await startJourney(server)];
      await obtainTokens(journey);
      await obtainTokens(on(journey, phone));
      await obtainTokens(stranger);
      await obtainTokens(on(stranger, phone));
      const page = await open(journey);
      const [id = ''] = endable(page);
      const own = await open(stranger);
      const post = (target: string) =>
        stranger.browser.submit(
          { ...own, html: own.html.replaceAll(endable(own)[0] ?? '', target) },
          `end-session-${target}`,
        );
      const answers = [await post(id), await post('0123456789abcdef')];
      expect(answers.map(({ status }) => status)).toEqual([404, 404]);
      const [foreign, unknown] = answers.map(({ html }) => html.replaceAll(/[\da-f-]{36}/g, ''));
      expect(foreign).toBe(unknown);
      expect(endable(await open(journey))).toEqual([id]);
    });

    it('is ended only by a form of this browser (CWE-352)', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey);
      await obtainTokens(on(journey, phone));
      const page = await open(journey);
      const [id = ''] = endable(page);
      for (const path of [`/account/sessions/${id}/end`, '/account/sessions/end-others']) {
        const answer = await journey.browser.send(path, {
          method: 'POST',
          body: new URLSearchParams({ csrf: 'x' }),
        });
        expect(answer.status).toBe(403);
      }
      expect(endable(await open(journey))).toEqual([id]);
    });
  });

  describe('all other sessions (OWASP ASVS 5.0 §7.4.3)', () => {
    it('end together, and the current one stays with its tokens', async () => {
      const journey = await startJourney(server);
      const tokens = await obtainTokens(journey);
      const others = [on(journey, phone), on(journey, firefox)];
      const lost = await Promise.all(others.map((other) => obtainTokens(other)));
      const page = await journey.browser.submit(await open(journey), 'end-other-sessions');
      expect(page.html).toContain('signed out on all other devices');
      expect(endable(page)).toEqual([]);
      for (const each of lost)
        await expect(refresh(journey, each)).rejects.toMatchObject({ error: 'invalid_grant' });
      for (const { browser } of others) expect(await isSignedIn(browser)).toBe(false);
      expect((await refresh(journey, tokens)).access_token).toEqual(expect.any(String));
      expect(await endedRecords(journey)).toHaveLength(2);
    });
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import {
  authorize,
  createRequest,
  type Journey,
  obtainTokens,
  redeem,
  signIn,
  startJourney,
} from '../../tests/people.fixture.ts';
import { startTestServer } from '../../tests/test-server.fixture.ts';

/** Delay after which a new sign-in has a different `auth_time`, which counts seconds. */
const NEXT_SECOND_MS = 1_100;

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;
  beforeEach(async () => {
    journey = await startJourney(server);
  });

  const open = async (parameters: Record<string, string>) =>
    journey.browser.open((await createRequest(journey, { prompt: '', scope: 'openid', ...parameters })).url);
  const claimsOf = async (parameters: Record<string, string> = {}) =>
    (await obtainTokens(journey, { scope: 'openid', prompt: '', ...parameters })).claims();

  describe('the authentication claims of an ID token (OpenID Connect Core §2)', () => {
    it('describe the original sign-in for the whole session', async () => {
      const before = Math.floor(Date.now() / 1000);
      const first = await claimsOf();
      await sleep(NEXT_SECOND_MS);
      const second = await claimsOf();
      expect(first?.auth_time).toBeGreaterThanOrEqual(before);
      expect(first?.auth_time).toBeLessThanOrEqual(first?.iat ?? 0);
      expect([second?.auth_time, second?.amr]).toEqual([first?.auth_time, ['pwd']]);
      expect(second?.iat).toBeGreaterThan(first?.iat ?? 0);
    });

    it('describe a sign-in that happened in another tab in the meantime', async () => {
      const { browser } = journey;
      const request = await createRequest(journey, { prompt: '', scope: 'openid' });
      const asked = await browser.open(request.url);
      await signIn(journey, await browser.open(`${server.url}/sign-in`));
      const consent = await browser.open(asked.url);
      const { url } = await browser.submit(consent, 'consent', { decision: 'allow' });
      const claims = (await redeem(journey, request, url)).claims();
      expect(claims).toMatchObject({
        amr: ['pwd'],
        acr: expect.stringMatching(/:PasswordProtectedTransport$/),
      });
    });

    it.each([
      ['the application requires it (prompt=login)', { prompt: 'login' }],
      ['it is too old (max_age)', { max_age: '0' }],
    ])('describe a new sign-in if %s (§3.1.2.1)', async (_, parameters) => {
      const first = await claimsOf();
      await sleep(NEXT_SECOND_MS);
      const request = await createRequest(journey, { prompt: '', scope: 'openid', ...parameters });
      const page = await journey.browser.open(request.url);
      expect(page.html).toContain('id="sign-in"');
      const back = await signIn(journey, page);
      const again = (await redeem(journey, request, back.url)).claims();
      expect(again?.auth_time).toBeGreaterThan(first?.auth_time as number);
    });

    it('describe the existing sign-in if it is recent enough, and fail with prompt=none otherwise', async () => {
      await claimsOf();
      const { url } = await open({ max_age: '1000', prompt: 'none' });
      expect(url.searchParams.has('code')).toBe(true);
      await sleep(NEXT_SECOND_MS);
      const refused = await open({ max_age: '0', prompt: 'none' });
      expect(refused.url.searchParams.get('error')).toBe('login_required');
    });
  });

  describe('claims of the granted scopes in the ID token (OpenID Connect Core §5.4)', () => {
    it.each(['openid profile email', 'openid profile email tickets:read'])(
      'are present on issue and on refresh, as at the userinfo endpoint: %s',
      async (scope) => {
        const { application, email, accountId } = journey;
        const tokens = await obtainTokens(journey, { scope: `${scope} offline_access` });
        const claims = { name: 'Ada Lovelace', email, email_verified: true };
        expect(tokens.claims()).toMatchObject(claims);
        expect(await oauth.fetchUserInfo(application, tokens.access_token, accountId)).toMatchObject(claims);
        const next = await oauth.refreshTokenGrant(application, tokens.refresh_token ?? '');
        expect(next.claims()).toMatchObject(claims);
      },
    );

    it('are limited to the granted scopes', async () => {
      const claims = await claimsOf({ scope: 'openid email' });
      expect(claims).toMatchObject({ email: journey.email });
      expect(claims).not.toHaveProperty('name');
    });
  });

  describe('hints about the user in a request (OpenID Connect Core §3.1.2.1)', () => {
    it('prefill the address (login_hint) and choose the language (ui_locales)', async () => {
      const page = await open({ login_hint: 'ada@example.org', ui_locales: 'fr de' });
      expect(page.html).toContain('value="ada@example.org"');
      expect(page.html).toContain('<html lang="de"');
    });

    it('require the same user to sign in (id_token_hint)', async () => {
      const { id_token: hint = '' } = await obtainTokens(journey);
      const same = await open({ id_token_hint: hint, prompt: 'none' });
      expect(same.url.searchParams.has('code')).toBe(true);
      const other = await server.addAccount();
      const consent = await journey.browser.open((await createRequest(journey)).url);
      const switched = await journey.browser.submit(consent, 'switch-account');
      await signIn({ ...journey, email: other.email }, switched);
      const stranger = await open({ id_token_hint: hint, prompt: 'none' });
      expect(stranger.url.searchParams.get('error')).toBe('login_required');
      expect((await open({ id_token_hint: hint })).html).toContain('id="sign-in"');
    });

    it('are rejected if the id_token_hint was not issued here', async () => {
      await authorize(journey, await createRequest(journey));
      const forged = `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.e30.AAAA`;
      const { url } = await open({ id_token_hint: forged });
      expect(url.searchParams.get('error')).toBe('invalid_request');
    });
  });
});

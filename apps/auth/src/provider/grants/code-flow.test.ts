import { useStarted } from '@keydesk/testing';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import {
  authorize,
  createRequest,
  type Journey,
  LOGGED_OUT_URI,
  obtainTokens,
  redeem,
  signIn,
  startJourney,
} from '../../tests/people.fixture.ts';
import { API, startTestServer } from '../../tests/test-server.fixture.ts';

const REPLAY_SECONDS = 60;
/** Polling at this interval, a server that is this far ahead has not missed a key rotation. */
const keyPollSeconds = REPLAY_SECONDS;
const operator = { address: 'cli', actor: 'operator' };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() =>
    startTestServer(storage.get(), {
      config: { refreshReplaySeconds: REPLAY_SECONDS, keyPollSeconds },
    }),
  );
  let journey: Journey;

  const claimsOf = async (token: string) =>
    (await jwtVerify(token, createRemoteJWKSet(new URL(`${server.url}/jwks`)), { issuer: server.url }))
      .payload;
  const refresh = (token: string | undefined) => oauth.refreshTokenGrant(journey.application, token ?? '');

  describe('the authorization code flow of a web application', () => {
    beforeAll(async () => {
      journey = await startJourney(server);
    });

    it('returns a JWT for the API with the role of the user, an ID token and a refresh token', async () => {
      const tokens = await obtainTokens(journey);
      expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 300 });
      const token = await jwtVerify(tokens.access_token, createRemoteJWKSet(new URL(`${server.url}/jwks`)), {
        issuer: server.url,
        audience: API,
        typ: 'at+jwt',
        algorithms: ['ES256'],
      });
      expect(token.payload).toMatchObject({
        sub: journey.accountId,
        client_id: journey.clientId,
        role: 'agent',
        name: 'Ada Lovelace',
        email: journey.email,
        email_verified: true,
        scope: 'tickets:read',
      });
      expect(tokens.claims()).toMatchObject({
        sub: journey.accountId,
        aud: journey.clientId,
        email: journey.email,
        email_verified: true,
        name: 'Ada Lovelace',
        amr: ['pwd'],
        auth_time: expect.any(Number),
      });
      expect(tokens.refresh_token).toBeDefined();
    });

    it.each([
      ['opaque', 'openid email offline_access'],
      ['a JWT', 'openid tickets:read offline_access'],
    ])('leaves no token in the server log or the audit log if the access token is %s', async (_, scope) => {
      const request = await createRequest(journey, { scope });
      const callback = await authorize(journey, request);
      const first = await redeem(journey, request, callback);
      const second = await refresh(first.refresh_token);
      const { clientId } = journey;
      const isIssued = { types: ['token.issued'], clientId, limit: 50 } as const;
      const list = () => storage.get().audit.list(isIssued);
      await expect.poll(async () => (await list()).length).toBeGreaterThan(1);
      const written = server.logged() + JSON.stringify(await list());
      const issued = [first, second].flatMap((each) => [each.access_token, each.refresh_token]);
      for (const secret of [...issued, callback.searchParams.get('code'), request.verifier])
        expect(written.includes(String(secret))).toBe(false);
    });

    it('returns the user at the userinfo endpoint for a token without API scopes', async () => {
      const tokens = await obtainTokens(journey, { scope: 'openid email' });
      const userinfo = await oauth.fetchUserInfo(journey.application, tokens.access_token, journey.accountId);
      expect(userinfo).toEqual({ sub: journey.accountId, email: journey.email, email_verified: true });
    });

    it('returns the same for an API token that was requested with openid (OIDC Core §5.3)', async () => {
      const tokens = await obtainTokens(journey, { scope: 'openid email tickets:read' });
      expect((await claimsOf(tokens.access_token)).aud).toBe(API);
      const userinfo = await oauth.fetchUserInfo(journey.application, tokens.access_token, journey.accountId);
      expect(userinfo).toEqual({ sub: journey.accountId, email: journey.email, email_verified: true });
    });

    it('asks for consent again only if more is requested, and shows what is new', async () => {
      const request = await createRequest(journey, { prompt: 'none', scope: 'openid tickets:read' });
      expect((await journey.browser.open(request.url)).url.searchParams.has('code')).toBe(true);
      const more = await createRequest(journey, { prompt: '', scope: 'openid tickets:read tickets:write' });
      const page = await journey.browser.open(more.url);
      expect(page.html).toContain('id="consent"');
      expect(page.html).toContain('id="granted"');
    });

    it('requires the password again for prompt=login (OIDC Core §3.1.2.1)', async () => {
      const { url } = await createRequest(journey, { prompt: 'login', scope: 'openid' });
      expect((await journey.browser.open(url)).html).toContain('id="sign-in"');
    });

    it('allows switching to another account', async () => {
      const other = await server.addAccount({ role: 'customer' });
      const request = await createRequest(journey);
      const consent = await journey.browser.open(request.url);
      const switched = await journey.browser.submit(consent, 'switch-account');
      await signIn({ ...journey, email: other.email }, switched);
      const tokens = await redeem(journey, request, await authorize(journey, request));
      expect((await claimsOf(tokens.access_token)).sub).toBe(other.id);
      expect((await claimsOf(tokens.access_token)).role).toBe('customer');
    });

    it('ends the session after the user confirms log-out, and redirects back (RP-Initiated Logout §2, §3)', async () => {
      const tokens = await obtainTokens(journey);
      const url = oauth.buildEndSessionUrl(journey.application, {
        id_token_hint: tokens.id_token ?? '',
        post_logout_redirect_uri: LOGGED_OUT_URI,
        state: 'bye',
      });
      const page = await journey.browser.open(url);
      const end = await journey.browser.submit(page, 'log-out', { logout: 'yes' });
      expect(end.url.href).toBe(`${LOGGED_OUT_URI}?state=bye`);
      const { url: silent } = await createRequest(journey, { prompt: 'none' });
      expect((await journey.browser.open(silent)).url.searchParams.get('error')).toBe('login_required');
    });
  });

  describe('a refresh token', () => {
    beforeAll(async () => {
      journey = await startJourney(server, { type: 'spa' });
    });

    it('is rotated on each use, and the new access token has the current role', async () => {
      const first = await obtainTokens(journey);
      await server.accounts.setRole(journey.accountId, 'customer', operator);
      const second = await refresh(first.refresh_token);
      expect(second.refresh_token).not.toBe(first.refresh_token);
      expect((await claimsOf(second.access_token)).role).toBe('customer');
    });

    it('yields a userinfo token without losing API access if only openid scopes are requested', async () => {
      const first = await obtainTokens(journey);
      const form = { scope: 'openid email' };
      const narrowed = await oauth.refreshTokenGrant(journey.application, first.refresh_token ?? '', form);
      const userinfo = await oauth.fetchUserInfo(
        journey.application,
        narrowed.access_token,
        journey.accountId,
      );
      expect(userinfo).toEqual({ sub: journey.accountId, email: journey.email, email_verified: true });
      expect((await claimsOf((await refresh(narrowed.refresh_token)).access_token)).aud).toBe(API);
    });

    it('expires after 60 days without use, and can be rotated for a year (RFC 9700 §4.14.2)', async () => {
      const { accountId } = journey;
      await obtainTokens(journey);
      const countAfter = async (model: string, days: number) => {
        const then = new Date(Date.now() + days * 86_400_000);
        const live = await storage.get().artifacts.findByModel(model, then, 1_000);
        return live.filter((each) => each.accountId === accountId).length;
      };
      expect(await countAfter('RefreshToken', 59)).toBeGreaterThan(0);
      expect(await countAfter('RefreshToken', 61)).toBe(0);
      expect(await countAfter('Grant', 364)).toBeGreaterThan(0);
      expect(await countAfter('Grant', 366)).toBe(0);
    });

    it('is revoked by its client together with its whole grant (RFC 7009 §2.1)', async () => {
      const tokens = await obtainTokens(journey);
      await oauth.tokenRevocation(journey.application, tokens.refresh_token ?? '');
      await expect(refresh(tokens.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
    });

    it('replays the same response within the window to a client that lost the first', async () => {
      const first = await obtainTokens(journey);
      const answers = [await refresh(first.refresh_token), await refresh(first.refresh_token)];
      expect(answers[1]).toEqual(answers[0]);
      expect((await refresh(answers[1]?.refresh_token)).refresh_token).toBeDefined();
    });

    it('does not replay a response after its grant was revoked (RFC 7009 §2.1)', async () => {
      const first = await obtainTokens(journey);
      const second = await refresh(first.refresh_token);
      await oauth.tokenRevocation(journey.application, second.refresh_token ?? '');
      await expect(refresh(first.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
    });

    it('returns one response to ten concurrent requests at two servers', async () => {
      const other = await startTestServer(await storage.openAnother(), {
        config: { issuer: server.url, refreshReplaySeconds: REPLAY_SECONDS },
      });
      const { refresh_token = '' } = await obtainTokens(journey);
      const form = { grant_type: 'refresh_token', refresh_token, client_id: journey.clientId };
      const responses = await Promise.all(
        Array.from({ length: 10 }, (_, i) => (i % 2 ? server : other).requestToken(form)),
      );
      expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
      const bodies = await Promise.all(responses.map((response) => response.text()));
      expect(new Set(bodies).size).toBe(1);
      await other.stop();
    });

    it('is not consumed by a request that fails', async () => {
      const { refresh_token } = await obtainTokens(journey);
      const elsewhere = { resource: 'https://elsewhere.example' };
      const refused = oauth.refreshTokenGrant(journey.application, refresh_token ?? '', elsewhere);
      await expect(refused).rejects.toMatchObject({ error: 'invalid_target' });
      expect((await refresh(refresh_token)).refresh_token).toBeDefined();
    });

    it('is revoked with its family when it is reused later, after a clock change, or for another scope (RFC 9700 §4.14.2)', async () => {
      for (const [secondsLater, scope] of [
        [REPLAY_SECONDS, undefined],
        [-3_600, undefined],
        [0, 'openid'],
      ] as const) {
        const first = await obtainTokens(journey);
        const second = await refresh(first.refresh_token);
        server.time.ahead = secondsLater * 1000;
        const reuse = oauth.refreshTokenGrant(
          journey.application,
          first.refresh_token ?? '',
          scope && { scope },
        );
        await expect(reuse).rejects.toMatchObject({ error: 'invalid_grant' });
        await expect(refresh(second.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
        server.time.ahead = 0;
      }
    });

    it.each([
      ['is disabled', () => server.accounts.disable(journey.accountId, operator)],
      [
        'has its password changed',
        () =>
          server.accounts.setPassword(
            { accountId: journey.accountId, newPassword: 'seven quiet harbours' },
            operator,
          ),
      ],
      ['is removed', () => server.accounts.remove(journey.accountId, operator)],
    ])('is invalid, like the session, once the account %s', async (_, change) => {
      journey = await startJourney(server, { type: 'spa' });
      const tokens = await obtainTokens(journey);
      await change();
      await expect(refresh(tokens.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
      const { url } = await createRequest(journey, { prompt: 'none', scope: 'openid' });
      expect((await journey.browser.open(url)).url.searchParams.get('error')).toBe('login_required');
    });
  });

  describe('a native application (RFC 8252)', () => {
    it('is redirected to any port it listens on (§7.3), and needs consent each time (§8.6)', async () => {
      journey = await startJourney(server, { type: 'native', redirectUri: 'http://127.0.0.1/callback' });
      const atPort = { redirect_uri: 'http://127.0.0.1:51004/callback' };
      expect((await obtainTokens(journey, atPort)).refresh_token).toBeDefined();
      const { url } = await createRequest(journey, { ...atPort, prompt: '' });
      expect((await journey.browser.open(url)).html).toContain('id="consent"');
    });
  });
});

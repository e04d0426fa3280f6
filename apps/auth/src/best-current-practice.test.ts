import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRequest, type Journey, obtainTokens, signIn, startJourney } from './people.fixture.ts';
import { onEveryEngine, useStorage } from './storage/engines.fixture.ts';
import { basic, password, startTestServer } from './test-server.fixture.ts';

/** What RFC 9700 asks for beside what the tests of codes, refresh tokens, device codes and bound tokens show. */
onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;
  beforeEach(async () => {
    journey = await startJourney(server);
  });

  const askAs = async ({ clientId, clientSecret }: Journey, form: Record<string, string>) => {
    const response = await server.requestToken(form, basic(clientId, clientSecret));
    const body = (await response.json()) as { error?: string; access_token?: string };
    return { status: response.status, ...body };
  };

  describe('the token endpoint', () => {
    it('takes no passwords of people (RFC 9700 §2.4)', async () => {
      const form = { grant_type: 'password', username: journey.email, password };
      expect(await askAs(journey, form)).toMatchObject({ status: 400, error: 'unsupported_grant_type' });
    });

    it('lets no application of people act for itself, nor a machine for people (RFC 9700 §4.15)', async () => {
      const own = await askAs(journey, { grant_type: 'client_credentials' });
      expect(own).toEqual({
        status: 400,
        error: 'unauthorized_client',
        error_description: expect.any(String),
      });
      const machine = await server.addClient();
      const url = new URL('/auth', server.url);
      url.search = String(
        new URLSearchParams({
          client_id: machine.id,
          response_type: 'code',
          redirect_uri: 'https://app.example/callback',
        }),
      );
      const page = await journey.browser.open(url);
      expect([page.status, page.url.origin]).toEqual([400, server.url]);
    });

    it('tells a client by its name that a grant is not for it (RFC 6749 §5.2, RFC 8628 §3.2)', async () => {
      const machine = await server.addClient();
      const codes = {
        code: 'x',
        code_verifier: 'v'.repeat(43),
        redirect_uri: 'https://app.example/callback',
      };
      const code = await server.requestToken(
        { grant_type: 'authorization_code', ...codes },
        basic(machine.id, machine.secret),
      );
      const device = await fetch(`${server.url}/device/auth`, {
        method: 'POST',
        headers: basic(journey.clientId, journey.clientSecret),
        body: new URLSearchParams({ scope: 'openid' }),
      });
      for (const answer of [code, device])
        expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'unauthorized_client' }]);
    });

    it('refuses what comes twice in one request (RFC 6749 §3.2)', async () => {
      const form = new URLSearchParams([
        ['grant_type', 'refresh_token'],
        ['refresh_token', 'a'],
        ['refresh_token', 'b'],
      ]);
      const response = await server.requestToken(form, basic(journey.clientId, journey.clientSecret));
      expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_request' }]);
    });
  });

  describe('an authorization request', () => {
    it('without a response type is told what it lacks (RFC 6749 §3.1.1)', async () => {
      const { url } = await createRequest(journey);
      url.searchParams.delete('response_type');
      const { searchParams } = (await journey.browser.open(url)).url;
      expect(searchParams.get('error')).toBe('invalid_request');
      expect(searchParams.get('error_description')).toContain('response_type');
    });
  });

  describe('a redirect URI', () => {
    it.each([
      ['another port', 'https://app.example:8443/callback'],
      ['a fragment', 'https://app.example/callback#'],
      ['another case', 'https://app.example/Callback'],
      ['a way around', 'https://app.example/x/../callback'],
      ['a user name', 'https://app.example@evil.example/callback'],
      ['plain http', 'http://app.example/callback'],
    ])('with %s leads nowhere (RFC 9700 §2.1, §4.1.3: exact comparison)', async (_, redirect_uri) => {
      const page = await journey.browser.open((await createRequest(journey, { redirect_uri })).url);
      expect([page.status, page.url.origin]).toEqual([400, server.url]);
    });

    it('of a web application on this machine has the port that was registered; native ones have any (§4.1.3)', async () => {
      journey = await startJourney(server, { redirectUri: 'http://127.0.0.1:4000/callback' });
      const other = { redirect_uri: 'http://127.0.0.1:4001/callback' };
      expect((await journey.browser.open((await createRequest(journey, other)).url)).status).toBe(400);
    });
  });

  describe('the pages on the way', () => {
    it('tell no other site where the person came from, and may not be framed (RFC 9700 §4.2.4, §4.16)', async () => {
      const signInPage = await journey.browser.open((await createRequest(journey)).url);
      const consent = await signIn(journey, signInPage);
      for (const { headers } of [signInPage, consent]) {
        expect(headers.get('referrer-policy')).toBe('no-referrer');
        expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
        expect(headers.get('cache-control')).toBe('no-store');
      }
    });

    it('send no password on: what follows a form is asked for by GET (RFC 9700 §4.12)', async () => {
      const page = await journey.browser.open((await createRequest(journey)).url);
      const consent = await signIn(journey, page);
      expect(consent.redirects.length).toBeGreaterThan(0);
      expect(new Set(consent.redirects)).toEqual(new Set([303]));
    });
  });

  describe('an access token', () => {
    it('is not taken from an address (RFC 9700 §4.3.2)', async () => {
      const { access_token: token } = await obtainTokens(journey, { scope: 'openid' });
      const taken = await fetch(`${server.url}/me`, { headers: { Authorization: `Bearer ${token}` } });
      const refused = await fetch(`${server.url}/me?access_token=${token}`);
      expect([taken.status, refused.status]).toEqual([200, 400]);
    });

    it('for the API opens the userinfo endpoint when openid was asked for, too, and nothing else (RFC 9700 §2.3)', async () => {
      const { access_token: both, refresh_token = '' } = await obtainTokens(journey);
      const forApi = { scope: 'tickets:read' };
      const { access_token: one } = await oauth.refreshTokenGrant(journey.application, refresh_token, forApi);
      const statusAt = async (path: string, token: string) =>
        (await fetch(server.url + path, { headers: { Authorization: `Bearer ${token}` } })).status;
      expect(await statusAt('/me', both)).toBe(200);
      expect(await statusAt('/me', one)).toBe(403);
      expect(await statusAt(`/reg/${journey.clientId}`, both)).toBe(401);
    });
  });
});

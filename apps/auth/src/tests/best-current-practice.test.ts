import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { createRequest, type Journey, obtainTokens, signIn, startJourney } from './people.fixture.ts';
import { basic, password, startTestServer } from './test-server.fixture.ts';

/** Requirements of RFC 9700 that the tests of codes, refresh tokens, device codes and bound tokens do not cover. */
onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;
  beforeEach(async () => {
    journey = await startJourney(server);
  });

  const requestTokenAs = async ({ clientId, clientSecret }: Journey, form: Record<string, string>) => {
    const response = await server.requestToken(form, basic(clientId, clientSecret));
    const body = (await response.json()) as { error?: string; access_token?: string };
    return { status: response.status, ...body };
  };

  describe('the token endpoint', () => {
    it('rejects the password grant (RFC 9700 §2.4)', async () => {
      const form = { grant_type: 'password', username: journey.email, password };
      expect(await requestTokenAs(journey, form)).toMatchObject({
        status: 400,
        error: 'unsupported_grant_type',
      });
    });

    it('rejects client credentials from a user-facing client and user sign-in from a machine client (RFC 9700 §4.15)', async () => {
      const own = await requestTokenAs(journey, { grant_type: 'client_credentials' });
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

    it('answers unauthorized_client to a grant that the client may not use (RFC 6749 §5.2, RFC 8628 §3.2)', async () => {
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

    it('rejects a repeated parameter (RFC 6749 §3.2)', async () => {
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
    it('without response_type is answered with an error that names the parameter (RFC 6749 §3.1.1)', async () => {
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
      ['a dot segment', 'https://app.example/x/../callback'],
      ['a user name', 'https://app.example@evil.example/callback'],
      ['plain http', 'http://app.example/callback'],
    ])(
      'with %s is rejected on a page, without a redirect (RFC 9700 §2.1, §4.1.3: exact comparison)',
      async (_, redirect_uri) => {
        const page = await journey.browser.open((await createRequest(journey, { redirect_uri })).url);
        expect([page.status, page.url.origin]).toEqual([400, server.url]);
      },
    );

    it('of a web application on loopback needs the registered port; only native clients may use any port (§4.1.3)', async () => {
      journey = await startJourney(server, { redirectUri: 'http://127.0.0.1:4000/callback' });
      const other = { redirect_uri: 'http://127.0.0.1:4001/callback' };
      expect((await journey.browser.open((await createRequest(journey, other)).url)).status).toBe(400);
    });
  });

  describe('the pages of an interaction', () => {
    it('send no referrer and cannot be framed (RFC 9700 §4.2.4, §4.16)', async () => {
      const signInPage = await journey.browser.open((await createRequest(journey)).url);
      const consent = await signIn(journey, signInPage);
      for (const { headers } of [signInPage, consent]) {
        expect(headers.get('referrer-policy')).toBe('no-referrer');
        expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
        expect(headers.get('cache-control')).toBe('no-store');
      }
    });

    it('redirect with 303 after a form, so that browsers do not resend the password (RFC 9700 §4.12)', async () => {
      const page = await journey.browser.open((await createRequest(journey)).url);
      const consent = await signIn(journey, page);
      expect(consent.redirects.length).toBeGreaterThan(0);
      expect(new Set(consent.redirects)).toEqual(new Set([303]));
    });
  });

  describe('an access token', () => {
    it('is rejected in the query string (RFC 9700 §4.3.2)', async () => {
      const { access_token: token } = await obtainTokens(journey, { scope: 'openid' });
      const accepted = await fetch(`${server.url}/me`, { headers: { Authorization: `Bearer ${token}` } });
      const rejected = await fetch(`${server.url}/me?access_token=${token}`);
      expect([accepted.status, rejected.status]).toEqual([200, 400]);
    });

    it('for the API is accepted at the userinfo endpoint only with the scope openid, and at no other endpoint (RFC 9700 §2.3)', async () => {
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

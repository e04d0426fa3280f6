import { createHash, randomBytes } from 'node:crypto';
import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadAuthConfig } from '../config.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { type Journey, LOGGED_OUT_URI, REDIRECT_URI, signIn, startJourney } from '../tests/people.fixture.ts';
import { masterSecret, startTestServer } from '../tests/test-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get(), { config: { isConformanceProfile: true } }));
  let journey: Journey;
  beforeAll(async () => {
    journey = await startJourney(server);
  });

  const plainRequest = (at: Journey, parameters: Readonly<Record<string, string>> = {}) =>
    oauth.buildAuthorizationUrl(at.application, {
      redirect_uri: REDIRECT_URI,
      scope: 'openid',
      ...parameters,
    });

  describe('the conformance profile (OpenID Connect Core §3.1.2)', () => {
    it('allows a confidential client without PKCE and nonce', async () => {
      const consent = await signIn(journey, await journey.browser.open(plainRequest(journey)));
      const { url } = await journey.browser.submit(consent, 'consent', { decision: 'allow' });
      const tokens = await oauth.authorizationCodeGrant(journey.application, url);
      expect(tokens.claims()?.sub).toBe(journey.accountId);
    });

    it('omits the claims of scopes from the ID token, but not from userinfo (OpenID Connect Core §5.4)', async () => {
      const app = await startJourney(server);
      const asked = plainRequest(app, { scope: 'openid profile email', prompt: 'consent' });
      const consent = await signIn(app, await app.browser.open(asked));
      const { url } = await app.browser.submit(consent, 'consent', { decision: 'allow' });
      const tokens = await oauth.authorizationCodeGrant(app.application, url);
      expect(tokens.claims()).not.toHaveProperty('email');
      expect(tokens.claims()).not.toHaveProperty('name');
      const claims = await oauth.fetchUserInfo(app.application, tokens.access_token, app.accountId);
      expect(claims).toMatchObject({ email: app.email, name: 'Ada Lovelace' });
    });

    it('redirects errors to unverified clients before a user has signed in', async () => {
      const app = await startJourney(server, { owner: 'registration:open' });
      const { url } = await app.browser.open(plainRequest(app, { scope: 'openid root' }));
      expect(url.origin + url.pathname).toBe(REDIRECT_URI);
      const asked = { client_id: app.clientId, post_logout_redirect_uri: LOGGED_OUT_URI };
      const end = await app.browser.open(`/session/end?${new URLSearchParams(asked)}`);
      expect(end.url.href).toBe(LOGGED_OUT_URI);
    });

    it('still requires PKCE from a client without other protection (RFC 9700 §2.1.1)', async () => {
      const app = await startJourney(server, { type: 'spa' });
      const { url } = await app.browser.open(plainRequest(app));
      expect(url.searchParams.get('error')).toBe('invalid_request');
    });

    it('rejects a verifier for a code whose request lost its challenge (RFC 9700 §4.8.2)', async () => {
      const app = await startJourney(server);
      const consent = await signIn(app, await app.browser.open(plainRequest(app)));
      const { url } = await app.browser.submit(consent, 'consent', { decision: 'allow' });
      const checks = { pkceCodeVerifier: oauth.randomPKCECodeVerifier() };
      await expect(oauth.authorizationCodeGrant(app.application, url, checks)).rejects.toMatchObject({
        error: 'invalid_grant',
      });
    });

    it('accepts authorization requests by POST (§3.1.2.1)', async () => {
      const app = await startJourney(server);
      const url = plainRequest(app);
      const challenge = createHash('sha256').update(randomBytes(32)).digest('base64url');
      const body = new URLSearchParams([...url.searchParams, ['code_challenge', challenge]]);
      body.set('code_challenge_method', 'S256');
      const response = await fetch(new URL(url.pathname, url), { method: 'POST', body, redirect: 'manual' });
      expect([response.status, response.headers.get('location')]).toEqual([
        303,
        expect.stringMatching(/\/interaction\//),
      ]);
    });

    it('accepts log-out requests by POST (RP-Initiated Logout §2)', async () => {
      const body = new URLSearchParams({
        client_id: journey.clientId,
        post_logout_redirect_uri: LOGGED_OUT_URI,
      });
      const headers = { accept: 'text/html' };
      const response = await fetch(`${server.url}/session/end`, {
        method: 'POST',
        body,
        headers,
        redirect: 'manual',
      });
      expect(response.status).toBeLessThan(400);
    });

    it('opens client registration and management, as advertised in the metadata', async () => {
      const metadata = { client_name: 'Suite', redirect_uris: [REDIRECT_URI] };
      const application = await oauth.dynamicClientRegistration(new URL(server.url), metadata, undefined, {
        execute: [oauth.allowInsecureRequests],
      });
      const { registration_client_uri, registration_access_token } = application.clientMetadata();
      const headers = { authorization: `Bearer ${registration_access_token}` };
      const read = await fetch(String(registration_client_uri), { headers });
      expect([read.status, await read.json()]).toEqual([200, expect.objectContaining(metadata)]);
    });
  });

  describe('without the conformance profile', () => {
    it.each(['/auth', '/session/end'])('POST %s is rejected', async (path) => {
      const strict = await startTestServer(storage.get());
      const { status } = await fetch(strict.url + path, { method: 'POST' });
      expect(status).toBe(405);
      await strict.stop();
    });
  });
});

describe('the conformance profile in production', () => {
  const load = (env: Readonly<Record<string, string>>) => () =>
    loadAuthConfig({
      NODE_ENV: 'production',
      MASTER_SECRET: masterSecret,
      ISSUER: 'https://auth.example.com',
      API_AUDIENCE: 'https://api.example.com',
      SMTP_URL: 'smtp://127.0.0.1:2525',
      MAIL_FROM: 'Support <support@example.com>',
      ...env,
    });

  it('is rejected on its own and reported with every other fault', () => {
    const settings = load({ CONFORMANCE_PROFILE: 'true', ISSUER: 'http://auth.example.com' });
    expect(settings).toThrow('CONFORMANCE_PROFILE: weakens the server');
    expect(settings).toThrow('ISSUER: must be an https URL');
  });

  it('is accepted with the second setting, and off if neither is set', () => {
    const both = load({ CONFORMANCE_PROFILE: 'true', CONFORMANCE_PROFILE_IN_PRODUCTION: 'true' });
    expect(both().isConformanceProfile).toBe(true);
    expect(load({})().isConformanceProfile).toBe(false);
  });
});

import { useStarted } from '@keydesk/testing';
import * as oauth from 'oauth4webapi';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { createBrowser, type Page } from './browser.fixture.ts';
import { LOGGED_OUT_URI, REDIRECT_URI } from './people.fixture.ts';
import { API, password, startTestServer } from './test-server.fixture.ts';

const insecure = { [oauth.allowInsecureRequests]: true };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));

  /** Registers a web application and discovers the server with oauth4webapi. */
  async function register() {
    const { client, secret } = await server.clients.add({
      type: 'web',
      name: 'Printshop Status',
      scopes: ['tickets:read'],
      redirectUris: [REDIRECT_URI],
      postLogoutRedirectUris: [LOGGED_OUT_URI],
    });
    const issuer = new URL(server.url);
    const answer = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oidc' });
    const as = await oauth.processDiscoveryResponse(issuer, answer);
    return { as, client: { client_id: client.id }, authenticate: oauth.ClientSecretBasic(secret ?? '') };
  }

  async function allow(url: URL, email: string): Promise<Page> {
    const browser = createBrowser(server.url);
    const consent = await browser.submit(await browser.open(url), 'sign-in', { email, password });
    return browser.submit(consent, 'consent', { decision: 'allow' });
  }

  describe('the authorization code flow with an independent client library (oauth4webapi)', () => {
    it('works from discovery to tokens, refresh, introspection and revocation', async () => {
      const { as, client, authenticate } = await register();
      const { email, id: accountId } = await server.addAccount({ role: 'agent' });
      const [verifier, state, nonce] = [
        oauth.generateRandomCodeVerifier(),
        oauth.generateRandomState(),
        oauth.generateRandomNonce(),
      ];
      const url = new URL(as.authorization_endpoint ?? '');
      url.search = String(
        new URLSearchParams({
          client_id: client.client_id,
          redirect_uri: REDIRECT_URI,
          response_type: 'code',
          scope: 'openid email offline_access tickets:read',
          prompt: 'consent',
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state,
          nonce,
        }),
      );
      const callback = oauth.validateAuthResponse(as, client, (await allow(url, email)).url, state);
      const tokens = await oauth.processAuthorizationCodeResponse(
        as,
        client,
        await oauth.authorizationCodeGrantRequest(
          as,
          client,
          authenticate,
          callback,
          REDIRECT_URI,
          verifier,
          insecure,
        ),
        { expectedNonce: nonce, requireIdToken: true },
      );
      expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: accountId, email });

      const resource = new Request(API, { headers: { Authorization: `Bearer ${tokens.access_token}` } });
      const claims = await oauth.validateJwtAccessToken(as, resource, API, insecure);
      expect(claims).toMatchObject({ sub: accountId, role: 'agent', scope: 'tickets:read' });

      const refreshed = await oauth.processRefreshTokenResponse(
        as,
        client,
        await oauth.refreshTokenGrantRequest(as, client, authenticate, tokens.refresh_token ?? '', insecure),
      );
      expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);

      const isActive = async () => {
        const token = refreshed.refresh_token ?? '';
        const answer = await oauth.introspectionRequest(as, client, authenticate, token, insecure);
        return (await oauth.processIntrospectionResponse(as, client, answer)).active;
      };
      expect(await isActive()).toBe(true);
      const revoked = await oauth.revocationRequest(
        as,
        client,
        authenticate,
        refreshed.refresh_token ?? '',
        insecure,
      );
      await oauth.processRevocationResponse(revoked);
      expect(await isActive()).toBe(false);
    });

    it('returns the claims of the user at the userinfo endpoint', async () => {
      const { as, client, authenticate } = await register();
      const { email, id: accountId } = await server.addAccount();
      const verifier = oauth.generateRandomCodeVerifier();
      const url = new URL(as.authorization_endpoint ?? '');
      url.search = String(
        new URLSearchParams({
          client_id: client.client_id,
          redirect_uri: REDIRECT_URI,
          response_type: 'code',
          scope: 'openid email',
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }),
      );
      const callback = oauth.validateAuthResponse(
        as,
        client,
        (await allow(url, email)).url,
        oauth.expectNoState,
      );
      const answer = await oauth.authorizationCodeGrantRequest(
        as,
        client,
        authenticate,
        callback,
        REDIRECT_URI,
        verifier,
        insecure,
      );
      const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer);
      const userInfo = await oauth.userInfoRequest(as, client, tokens.access_token, insecure);
      expect(await oauth.processUserInfoResponse(as, client, accountId, userInfo)).toEqual({
        sub: accountId,
        email,
        email_verified: true,
      });
    });
  });
});

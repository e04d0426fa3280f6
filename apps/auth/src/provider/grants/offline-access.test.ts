import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createBrowser } from '../../tests/browser.fixture.ts';
import {
  authorize,
  createRequest,
  type Journey,
  obtainTokens,
  type Request,
  redeem,
  signIn,
  startJourney,
} from '../../tests/people.fixture.ts';
import { startKeyJourney } from '../../tests/signing-clients.fixture.ts';
import { startTestServer } from '../../tests/test-server.fixture.ts';

const WITHOUT = 'openid tickets:read';
const WITH = `${WITHOUT} offline_access`;

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;
  beforeEach(async () => {
    journey = await startJourney(server);
  });

  const ask = (scope = WITH, parameters = {}) => createRequest(journey, { scope, prompt: '', ...parameters });
  const open = async (request: Request) => journey.browser.open(request.url);
  const refresh = (token: string | undefined) => oauth.refreshTokenGrant(journey.application, token ?? '');

  describe('offline_access without prompt=consent (OpenID Connect Core §11)', () => {
    it('is shown on the consent page and yields a refresh token once granted', async () => {
      const request = await ask();
      const page = await signIn(journey, await open(request));
      expect(page.html).toContain('Stay connected');
      const { url } = await journey.browser.submit(page, 'consent', { decision: 'allow' });
      const tokens = await redeem(journey, request, url);
      expect(tokens.scope?.split(' ')).toContain('offline_access');
      expect((await refresh(tokens.refresh_token)).access_token).toBeDefined();
    });

    it('needs consent once if everything else was granted before', async () => {
      await authorize(journey, await ask(WITHOUT));
      expect((await open(await ask())).html).toContain('Stay connected');
      await authorize(journey, await ask());
      expect((await open(await ask())).url.searchParams.has('code')).toBe(true);
    });

    it('is remembered for another browser if the application is verified', async () => {
      await authorize(journey, await ask());
      const elsewhere = { ...journey, browser: createBrowser(server.url) };
      const request = await ask();
      const back = await signIn(elsewhere, await elsewhere.browser.open(request.url));
      expect((await redeem(elsewhere, request, back.url)).refresh_token).toBeDefined();
    });

    it('is granted with prompt=none only after an earlier consent', async () => {
      await authorize(journey, await ask(WITHOUT));
      const refused = await open(await ask(WITH, { prompt: 'none' }));
      expect(refused.url.searchParams.get('error')).toBe('consent_required');
      await authorize(journey, await ask());
      const silent = await ask(WITH, { prompt: 'none' });
      expect((await redeem(journey, silent, (await open(silent)).url)).refresh_token).toBeDefined();
    });

    it('does not require openid', async () => {
      const request = await ask('tickets:read offline_access');
      request.url.searchParams.delete('nonce');
      const callback = await authorize(journey, request);
      const checks = { pkceCodeVerifier: request.verifier, expectedState: request.state };
      const tokens = await oauth.authorizationCodeGrant(journey.application, callback, checks);
      expect((await refresh(tokens.refresh_token)).scope).toBe('offline_access tickets:read');
    });

    it('is kept in a pushed request (RFC 9126)', async () => {
      const request = await ask();
      const pushed = await oauth.buildAuthorizationUrlWithPAR(journey.application, request.url.searchParams);
      const callback = await authorize(journey, { ...request, url: pushed });
      expect((await redeem(journey, request, callback)).refresh_token).toBeDefined();
    });

    it('is kept in a signed request (RFC 9101)', async () => {
      const signer = await startKeyJourney(server);
      const request = await createRequest(signer, { scope: WITH, prompt: '' });
      const { searchParams } = request.url;
      const url = await oauth.buildAuthorizationUrlWithJAR(signer.application, searchParams, signer.key);
      const callback = await authorize(signer, { ...request, url });
      expect((await redeem(signer, request, callback)).refresh_token).toBeDefined();
    });

    it('is not granted unless requested', async () => {
      const tokens = await obtainTokens(journey, { scope: WITHOUT, prompt: 'consent' });
      expect([tokens.refresh_token, tokens.scope]).toEqual([undefined, WITHOUT]);
    });

    it('is ignored, and omitted from scope, if the application is not registered for it', async () => {
      journey = await startJourney(server, { client: { scopes: ['openid', 'tickets:read'] } });
      const tokens = await obtainTokens(journey, { scope: WITH, prompt: '' });
      expect([tokens.refresh_token, tokens.scope]).toEqual([undefined, WITHOUT]);
    });
  });
});

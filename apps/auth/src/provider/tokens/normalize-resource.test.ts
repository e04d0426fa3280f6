import { useStarted } from '@keydesk/testing';
import { decodeJwt } from 'jose';
import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { authorize, createRequest, redeem, startJourney } from '../../tests/people.fixture.ts';
import { push, startKeyJourney } from '../../tests/signing-clients.fixture.ts';
import { API, basic, startTestServer, type TestServer } from '../../tests/test-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));

  describe('the resource parameter, with or without a trailing slash (RFC 8707 §2)', () => {
    it.each([
      [API, `${API}/`, API],
      [`${API}/`, API, `${API}/`],
      [`${API}/`, `${API}/`, API],
    ])(
      'selects the API in the request (%s), with the code (%s) and on refresh (%s)',
      async (...spellings) => {
        const [asked, redeemed, refreshed] = spellings.map((resource) => ({ resource }));
        const journey = await startJourney(server);
        const request = await createRequest(journey, asked);
        const checks = {
          pkceCodeVerifier: request.verifier,
          expectedState: request.state,
          expectedNonce: request.nonce,
        };
        const { application } = journey;
        const callback = await authorize(journey, request);
        const tokens = await oauth.authorizationCodeGrant(application, callback, checks, redeemed);
        const renewed = await oauth.refreshTokenGrant(application, tokens.refresh_token ?? '', refreshed);
        for (const { access_token } of [tokens, renewed]) expect(decodeJwt(access_token).aud).toBe(API);
      },
    );

    it('needs consent only once for both forms', async () => {
      const journey = await startJourney(server);
      const scope = 'openid tickets:read';
      await authorize(journey, await createRequest(journey, { scope, resource: `${API}/` }));
      const again = await createRequest(journey, { scope, resource: API, prompt: 'none' });
      const tokens = await redeem(journey, again, await authorize(journey, again));
      expect(decodeJwt(tokens.access_token).aud).toBe(API);
    });

    it('selects the API in a signed request object (RFC 9101)', async () => {
      const journey = await startKeyJourney(server);
      const request = await createRequest(journey, { resource: `${API}/` });
      const parameters = request.url.searchParams;
      const url = await oauth.buildAuthorizationUrlWithJAR(journey.application, parameters, journey.key);
      const tokens = await redeem(journey, request, await authorize(journey, { ...request, url }));
      expect(decodeJwt(tokens.access_token).aud).toBe(API);
    });

    it('selects the API in a pushed request (RFC 9126) and for a machine', async () => {
      const journey = await startJourney(server);
      const request = await createRequest(journey, { resource: `${API}/` });
      const parameters = Object.fromEntries(request.url.searchParams);
      const { request_uri } = await push(server, parameters, basic(journey.clientId, journey.clientSecret));
      const url = new URL(
        `/auth?${new URLSearchParams({ client_id: journey.clientId, request_uri })}`,
        server.url,
      );
      const tokens = await redeem(journey, request, await authorize(journey, { ...request, url }));
      expect(decodeJwt(tokens.access_token).aud).toBe(API);
      const { body } = await requestAsMachine(server, `${API}/`);
      expect(decodeJwt(body.access_token).aud).toBe(API);
    });

    it.each([`${API}//`, `${API}/tickets`, 'https://api.example.org/'])(
      'does not select the API as %s',
      async (resource) => {
        const { status, body } = await requestAsMachine(server, resource);
        expect([status, body.error]).toEqual([400, 'invalid_target']);
      },
    );

    it('selects the API if it is configured with a slash', async () => {
      const slashed = await startTestServer(storage.get(), { config: { apiAudience: `${API}/` } });
      const { body } = await requestAsMachine(slashed, API);
      expect(decodeJwt(body.access_token).aud).toBe(`${API}/`);
      await slashed.stop();
    });
  });
});

async function requestAsMachine(server: TestServer, resource: string) {
  const { id, secret } = await server.addClient();
  const form = { grant_type: 'client_credentials', resource };
  const answer = await server.requestToken(form, basic(id, secret));
  const body = (await answer.json()) as { error?: string; access_token: string };
  return { status: answer.status, body };
}

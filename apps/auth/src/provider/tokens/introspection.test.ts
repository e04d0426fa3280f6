import { useStarted } from '@keydesk/testing';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'openid-client';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { type Journey, obtainTokens, startJourney } from '../../tests/people.fixture.ts';
import { API, basic, startTestServer } from '../../tests/test-server.fixture.ts';

const operator = { address: 'cli', actor: 'operator' };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;
  /** The API, registered as a resource server. */
  let api: oauth.Configuration;
  let apiId: string;
  let apiSecret: string;
  beforeAll(async () => {
    const { client, secret } = await server.clients.add({
      type: 'resource-server',
      name: 'Tickets',
      scopes: [],
    });
    [apiId, apiSecret] = [client.id, secret ?? ''];
    api = await oauth.discovery(new URL(server.url), apiId, apiSecret, undefined, {
      execute: [oauth.allowInsecureRequests],
    });
  });
  beforeEach(async () => {
    journey = await startJourney(server);
  });

  const isActive = async (asking: oauth.Configuration, token: string | undefined) =>
    (await oauth.tokenIntrospection(asking, token ?? '')).active;

  describe('a resource server (RFC 7662)', () => {
    it('can introspect access tokens issued for it to any client (§2.2)', async () => {
      const { access_token: token } = await obtainTokens(journey);
      expect(await oauth.tokenIntrospection(api, token)).toMatchObject({
        active: true,
        token_type: 'Bearer',
        iss: server.url,
        aud: API,
        sub: journey.accountId,
        client_id: journey.clientId,
        role: 'agent',
        scope: 'tickets:read',
        iat: expect.any(Number),
        exp: expect.any(Number),
        jti: expect.any(String),
      });
      const DPoP = oauth.getDPoPHandle(journey.application, await oauth.randomDPoPKeyPair());
      const { access_token: bound } = await obtainTokens(journey, {}, { DPoP });
      // RFC 9449 §6.2
      expect(await oauth.tokenIntrospection(api, bound)).toMatchObject({
        token_type: 'DPoP',
        cnf: { jkt: await DPoP.calculateThumbprint() },
      });
      const machine = await server.addClient();
      const form = { grant_type: 'client_credentials' };
      const own = await (await server.requestToken(form, basic(machine.id, machine.secret))).json();
      const { access_token: machineToken } = own as { access_token: string };
      expect(await oauth.tokenIntrospection(api, machineToken)).toMatchObject({
        active: true,
        sub: machine.id,
      });
    });

    it('gets no information about refresh tokens, tokens for other audiences and invalid tokens (§4)', async () => {
      const tokens = await obtainTokens(journey);
      const forUserinfo = await obtainTokens(journey, { scope: 'openid' });
      const [header, payload] = tokens.access_token.split('.');
      const others = [
        tokens.refresh_token,
        tokens.id_token,
        forUserinfo.access_token,
        `${header}.${payload}.${'A'.repeat(86)}`,
        `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${payload}.`,
        'a.b.c',
        'nothing',
      ];
      for (const token of others)
        expect(await oauth.tokenIntrospection(api, token ?? '')).toEqual({ active: false });
    });

    it.each([
      [
        'has expired',
        () => {
          server.time.ahead = 20 * 60_000;
        },
      ],
      ['belongs to a disabled client', () => server.clients.setStatus(journey.clientId, 'disabled')],
      ['belongs to a disabled user', () => server.accounts.disable(journey.accountId, operator)],
      [
        'was issued under a revoked grant',
        async ({ refresh_token }: oauth.TokenEndpointResponse) =>
          oauth.tokenRevocation(journey.application, refresh_token ?? ''),
      ],
      ['belongs to a removed user', () => server.accounts.remove(journey.accountId, operator)],
    ])('gets active: false for a token that %s', async (_, change) => {
      const tokens = await obtainTokens(journey);
      const token = tokens.access_token;
      expect(await isActive(api, token)).toBe(true);
      await change(tokens);
      expect(await isActive(api, token)).toBe(false);
      server.time.ahead = 0;
    });

    it('gets a signed response on request (RFC 9701 §4, §5)', async () => {
      const { access_token: token } = await obtainTokens(journey);
      const ask = async (value: string) => {
        const response = await fetch(`${server.url}/token/introspection`, {
          method: 'POST',
          body: new URLSearchParams({ token: value }),
          headers: { Accept: 'application/token-introspection+jwt', ...basic(apiId, apiSecret) },
        });
        expect(response.headers.get('content-type')).toMatch(/^application\/token-introspection\+jwt/);
        const keys = createRemoteJWKSet(new URL(`${server.url}/jwks`));
        const typ = 'token-introspection+jwt';
        return (await jwtVerify(await response.text(), keys, { issuer: server.url, audience: apiId, typ }))
          .payload;
      };
      const claims = await ask(token);
      expect(claims.token_introspection).toMatchObject({ active: true, sub: journey.accountId });
      expect(claims).not.toHaveProperty('sub');
      expect(claims).not.toHaveProperty('exp');
      for (const other of ['nothing', 'a.b.c'])
        expect((await ask(other)).token_introspection).toEqual({ active: false });
    });

    it('cannot request tokens for itself', async () => {
      for (const form of [
        { grant_type: 'client_credentials' },
        { grant_type: 'authorization_code', code: 'x' },
      ]) {
        const response = await server.requestToken(form as never, basic(apiId, apiSecret));
        expect([response.status, Object.keys(Object(await response.json()))]).toEqual([
          400,
          ['error', 'error_description'],
        ]);
      }
    });
  });

  describe('a client at the introspection endpoint (RFC 7662 §4)', () => {
    it('can introspect only its own tokens', async () => {
      const tokens = await obtainTokens(journey);
      const other = await startJourney(server);
      for (const token of [tokens.access_token, tokens.refresh_token]) {
        expect(await isActive(journey.application, token)).toBe(true);
        expect(await isActive(other.application, token)).toBe(false);
      }
    });

    it('must authenticate', async () => {
      const { access_token: token } = await obtainTokens(journey);
      const body = new URLSearchParams({ token });
      for (const headers of [basic(apiId, 'wrong'), basic('nobody', apiSecret), {}]) {
        const response = await fetch(`${server.url}/token/introspection`, { method: 'POST', body, headers });
        expect([400, 401]).toContain(response.status);
        expect(await response.json()).not.toHaveProperty('active');
      }
    });

    it('is rejected if it is public (§2.1)', async () => {
      const spa = await startJourney(server, { client: { type: 'spa' } });
      const tokens = await obtainTokens(spa);
      for (const token of [tokens.access_token, tokens.refresh_token ?? '', 'any']) {
        const body = new URLSearchParams({ token, client_id: spa.clientId });
        const response = await fetch(`${server.url}/token/introspection`, { method: 'POST', body });
        expect([response.status, await response.json()]).toMatchObject([401, { error: 'invalid_client' }]);
      }
    });
  });

  describe('revocation (RFC 7009)', () => {
    it('has no effect on the tokens of other clients, without revealing that (§2.1, §2.2)', async () => {
      const tokens = await obtainTokens(journey);
      const other = await startJourney(server);
      for (const asking of [other.application, api]) {
        await oauth.tokenRevocation(asking, tokens.refresh_token ?? '');
        await oauth.tokenRevocation(asking, 'nothing');
      }
      expect(await isActive(journey.application, tokens.refresh_token)).toBe(true);
      await oauth.tokenRevocation(journey.application, tokens.refresh_token ?? '');
      expect(await isActive(journey.application, tokens.refresh_token)).toBe(false);
    });
  });

  describe('the registration of a resource server', () => {
    it.each([
      ['scopes', { scopes: ['tickets:read'] }],
      ['a role', { role: 'agent' as const }],
      ['redirect URIs', { redirectUris: ['https://api.example/'] }],
      ['no secret', { authMethod: 'none' as const }],
      ['a log-out URI', { backchannelLogoutUri: 'https://api.example/' }],
    ])('rejects %s', async (_, members) => {
      const request = { type: 'resource-server' as const, name: 'Tickets', scopes: [], ...members };
      await expect(server.clients.add(request)).rejects.toMatchObject({ code: 'validation_failed' });
    });
  });
});

import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { expectNoLeakedSecrets, grant, useMachineClients } from '../../tests/machine-clients.fixture.ts';
import { API, basic } from '../../tests/test-server.fixture.ts';

const insecure = { [oauth.allowInsecureRequests]: true };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const machines = useMachineClients(storage);
  const { server, secrets, addClient, answerOf, requestToken, verify, addKeyClient } = machines;

  it("allows CORS requests of a machine from the API's own documentation page and no other", async () => {
    const { id, secret } = await addClient();
    const ask = (origin: string) =>
      fetch(`${server.url}/token`, {
        method: 'POST',
        headers: { ...basic(id, secret), Origin: origin },
        body: new URLSearchParams(grant),
      });
    const [own, other] = await Promise.all([ask(API), ask('https://evil.example')]);
    expect(own.headers.get('Access-Control-Allow-Origin')).toBe(API);
    expect((await answerOf(own)).status).toBe(200);
    expect((await answerOf(other)).status).toBe(400);
  });

  describe('a token for a machine client (RFC 6749 §4.4)', () => {
    it.each([
      ['client_secret_basic', oauth.ClientSecretBasic],
      ['client_secret_post', oauth.ClientSecretPost],
    ] as const)('is issued to oauth4webapi with %s', async (authMethod, authentication) => {
      const { id, secret } = await addClient({ authMethod });
      const issuer = new URL(server.url);
      const metadata = await oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' }),
      );
      const response = await oauth.clientCredentialsGrantRequest(
        metadata,
        { client_id: id },
        authentication(secret ?? ''),
        { scope: 'tickets:read' },
        insecure,
      );
      const tokens = await oauth.processClientCredentialsResponse(metadata, { client_id: id }, response);
      secrets.add(tokens.access_token);
      expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 300, scope: 'tickets:read' });
      await verify(tokens.access_token);
    });

    it('is issued to openid-client, by either metadata document', async () => {
      const { id, secret } = await addClient();
      for (const algorithm of ['oidc', 'oauth2'] as const) {
        const configuration = await openid.discovery(
          new URL(server.url),
          id,
          undefined,
          openid.ClientSecretBasic(secret ?? ''),
          { algorithm, execute: [openid.allowInsecureRequests] },
        );
        const { access_token } = await openid.clientCredentialsGrant(configuration, { resource: API });
        secrets.add(access_token);
        await verify(access_token);
      }
    });

    it.each(['ES256', 'ES384', 'PS256', 'RS256', 'EdDSA'])(
      'is issued with private_key_jwt and %s (RFC 7523 §2.2)',
      async (alg) => {
        const { assert, present } = await addKeyClient(alg);
        const { status, body } = await present(await assert());
        expect(status).toBe(200);
        await verify(body.access_token);
      },
    );

    it('is issued to oauth4webapi with private_key_jwt', async () => {
      const { id, privateKey } = await addKeyClient('PS256');
      const metadata = { issuer: server.url, token_endpoint: `${server.url}/token` };
      const authentication = oauth.PrivateKeyJwt({ key: privateKey, kid: 'key-1' });
      const client = { client_id: id };
      const response = await oauth.clientCredentialsGrantRequest(
        metadata,
        client,
        authentication,
        {},
        insecure,
      );
      await oauth.processClientCredentialsResponse(metadata, client, response);
    });

    it('is issued for an assertion with the token endpoint as audience (RFC 7523 §3)', async () => {
      const { assert, present } = await addKeyClient('ES256');
      expect((await present(await assert({ aud: `${server.url}/token` }))).status).toBe(200);
    });

    it('is a JWT access token with the claims of the profile and the role (RFC 9068 §2.2)', async () => {
      const { id, secret } = await addClient({ role: 'agent' });
      const { body } = await requestToken(
        { ...grant, scope: 'tickets:read tickets:write' },
        basic(id, secret),
      );
      const { payload, protectedHeader } = await verify(body.access_token);
      expect(protectedHeader).toMatchObject({ typ: 'at+jwt', alg: 'ES256', kid: expect.any(String) });
      expect(payload).toEqual({
        iss: server.url,
        sub: id,
        aud: API,
        client_id: id,
        scope: 'tickets:read tickets:write',
        role: 'agent',
        jti: expect.any(String),
        iat: expect.any(Number),
        exp: Number(payload.iat) + 300,
        // Token Status List §6.2
        status: { status_list: { idx: expect.any(Number), uri: `${server.url}/token-status-list` } },
      });
    });

    it('has no role if the client has none', async () => {
      const { id, secret } = await addClient({ role: null });
      const { body } = await requestToken(grant, basic(id, secret));
      expect((await verify(body.access_token)).payload).not.toHaveProperty('role');
    });

    it('has all scopes of the client if none is requested (RFC 6749 §3.3)', async () => {
      const { id, secret } = await addClient({ scopes: ['tickets:read', 'tickets:write'] });
      const { body } = await requestToken(grant, basic(id, secret));
      expect(body.scope).toBe('tickets:read tickets:write');
    });

    it('has no scope if the client has none', async () => {
      const { id, secret } = await addClient({ scopes: [] });
      const { status, body } = await requestToken(grant, basic(id, secret));
      expect([status, body.scope]).toEqual([200, undefined]);
      expect((await verify(body.access_token)).payload).not.toHaveProperty('scope');
    });

    it('is not issued to a client without scopes that requests one', async () => {
      const { id, secret } = await addClient({ scopes: [] });
      const { body } = await requestToken({ ...grant, scope: 'tickets:read' }, basic(id, secret));
      expect(body.error).toBe('invalid_scope');
    });

    it('is issued for the requested API (RFC 8707 §2)', async () => {
      const { id, secret } = await addClient();
      const { body } = await requestToken({ ...grant, resource: API }, basic(id, secret));
      expect((await verify(body.access_token)).payload.aud).toBe(API);
    });

    it('is issued to 50 concurrent requests, each with its own jti', async () => {
      const { id, secret } = await addClient();
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => requestToken(grant, basic(id, secret))),
      );
      const tokens = await Promise.all(answers.map(({ body }) => verify(body.access_token)));
      expect(new Set(tokens.map(({ payload }) => payload.jti)).size).toBe(50);
    });

    it('is not cacheable (RFC 6749 §5.1)', async () => {
      const { id, secret } = await addClient();
      const response = await server.requestToken(grant, basic(id, secret));
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    });
  });

  describe('a token request (RFC 6749 §3.2, §5.2)', () => {
    it.each([
      ['a scope the client is not registered for', { scope: 'openid' }, 400, 'invalid_scope'],
      ['an unknown scope', { scope: 'tickets:read root' }, 400, 'invalid_scope'],
      ['a scope with invalid characters', { scope: 'tickets:read "' }, 400, 'invalid_scope'],
      ['another resource (RFC 8707 §2)', { resource: 'https://other.example' }, 400, 'invalid_target'],
      ['a resource that is not a URI (RFC 8707 §2)', { resource: 'tickets' }, 400, 'invalid_target'],
      ['an unknown grant', { grant_type: 'urn:example:other' }, 400, 'unsupported_grant_type'],
      [
        'the password grant',
        { grant_type: 'password', username: 'a', password: 'b' },
        400,
        'unsupported_grant_type',
      ],
      ['an empty grant type', { grant_type: '' }, 400, 'invalid_request'],
    ])('is rejected for %s', async (_, parameters, status, error) => {
      const { id, secret } = await addClient();
      const answer = await requestToken({ ...grant, ...parameters }, basic(id, secret));
      expect([answer.status, answer.body.error]).toEqual([status, error]);
      expect(answer.body).not.toHaveProperty('access_token');
    });

    it.each(['grant_type', 'scope', 'client_id', 'client_secret'])(
      'is rejected if %s is repeated (§3.2)',
      async (name) => {
        const { id, secret } = await addClient({ authMethod: 'client_secret_post' });
        const form = new URLSearchParams({
          ...grant,
          scope: 'tickets:read',
          client_id: id,
          client_secret: secret ?? '',
        });
        form.append(name, form.get(name) ?? '');
        const { status, body } = await requestToken(form);
        expect([status, body.error]).toEqual([400, 'invalid_request']);
      },
    );

    it('is rejected for two resources', async () => {
      const { id, secret } = await addClient();
      const form = new URLSearchParams({ ...grant, resource: API });
      form.append('resource', API);
      form.append('resource', 'https://other.example');
      expect((await requestToken(form, basic(id, secret))).body.error).toBe('invalid_target');
    });

    it('is rejected if it is not form-encoded', async () => {
      const { id, secret } = await addClient();
      const response = await fetch(`${server.url}/token`, {
        method: 'POST',
        headers: { ...basic(id, secret), 'Content-Type': 'application/json' },
        body: JSON.stringify(grant),
      });
      expect((await answerOf(response)).body.error).toBe('invalid_request');
    });

    it('is rejected with methods other than POST', async () => {
      for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD']) {
        const response = await fetch(`${server.url}/token?grant_type=client_credentials`, { method });
        expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
      }
    });

    it.each([
      ['with a null origin, even though a native application has none either', 'native', 'null'],
      ['of a web application, because its secret belongs on a server', 'web', 'https://app.example'],
    ] as const)('is rejected for a page %s', async (_, type, origin) => {
      const redirectUris = [type === 'native' ? 'com.example.app:/callback' : `${origin}/callback`];
      const request = { type, name: 'App', scopes: ['tickets:read'], redirectUris };
      const { client, secret } = await server.clients.add(request);
      const form = { grant_type: 'refresh_token', refresh_token: 'any', client_id: client.id };
      const authenticated = secret === null ? {} : basic(client.id, secret);
      const response = await server.requestToken(form, { ...authenticated, Origin: origin });
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    });

    it('is rejected for a page of another origin', async () => {
      const { id, secret } = await addClient();
      const response = await server.requestToken(grant, {
        ...basic(id, secret),
        Origin: 'https://page.example',
      });
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      expect((await answerOf(response)).status).toBe(400);
    });
  });

  describe('the log', () => {
    it('contains successful and failed token requests by request id', async () => {
      const { id, secret } = await addClient();
      const good = await server.requestToken(grant, basic(id, secret));
      const bad = await server.requestToken(grant, basic(id, 'wrong'));
      for (const response of [good, bad]) await answerOf(response);
      const eventOf = (response: Response) => () =>
        server
          .lines()
          .find(({ event, request_id }) => event && request_id === response.headers.get('x-request-id'));
      // The line is written after the connection has finished, which may be later than the client's response.
      await expect.poll(eventOf(good)).toMatchObject({
        event: 'token.issued',
        client_id: id,
        scope: expect.any(String),
      });
      const failed = { event: 'client.authentication_failed', client_id: id };
      await expect.poll(eventOf(bad)).toMatchObject(failed);
    });
  });

  expectNoLeakedSecrets(storage, machines);
});

import { decodeProtectedHeader } from 'jose';
import * as oauth4webapi from 'oauth4webapi';
import * as oauth from 'openid-client';
import { describe, expect, it, onTestFinished as onFinished } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import { createBrowser } from '../../tests/browser.fixture.ts';
import { authorize, createRequest, type Journey, redeem, signIn } from '../../tests/people.fixture.ts';
import { API, startTestServer } from '../../tests/test-server.fixture.ts';
import { REDIRECT_URI, useRegistrationServer, web } from './registration-server.fixture.ts';

const insecure = { [oauth4webapi.allowInsecureRequests]: true };

onEveryEngine((engine) => {
  const { server, storage, addToken, send, register } = useRegistrationServer(engine);

  describe('dynamic client registration (RFC 7591)', () => {
    it('lets openid-client register a client that then signs users in', async () => {
      const metadata = { ...web, id_token_signed_response_alg: 'PS256' };
      const { token: initialAccessToken } = await addToken();
      const application = await oauth.dynamicClientRegistration(new URL(server.url), metadata, undefined, {
        initialAccessToken,
        execute: [oauth.allowInsecureRequests],
      });
      const account = await server.addAccount({ role: 'customer' });
      const journey: Journey = {
        server,
        application,
        email: account.email,
        accountId: account.id,
        clientId: application.clientMetadata().client_id,
        clientSecret: null,
        browser: createBrowser(server.url),
      };
      const request = await createRequest(journey, { scope: 'openid email' });
      const consent = await signIn(journey, await journey.browser.open(request.url));
      expect(consent.html).toContain('Not verified');
      const tokens = await redeem(journey, request, await authorize(journey, request));
      expect(decodeProtectedHeader(tokens.id_token ?? '').alg).toBe('PS256');
      expect(tokens.claims()?.sub).toBe(account.id);
    });

    it.each([
      [
        '{"client_name":"A","redirect_uris":["https://a.example/"],"client_name":"B"}',
        'the name client_name',
      ],
      ['{"redirect_uris":["https://a.example/"],"redirect\\u005furis":[]}', 'the name redirect_uris'],
      ['{"redirect_uris":["https://a.example/"],"jwks":{"keys":[],"keys":[]}}', 'the name keys'],
    ])('rejects metadata that repeats a name (RFC 8259 §4): %s', async (text, fault) => {
      const { status, body } = await register(text);
      expect([status, body.error, body.error_description]).toEqual([
        400,
        'invalid_request',
        `The client metadata repeats ${fault}; send a JSON object with each name once.`,
      ]);
    });

    it('is advertised in the server metadata (RFC 8414 §2), and works with oauth4webapi', async () => {
      const issuer = new URL(server.url);
      const found = await oauth4webapi.discoveryRequest(issuer, insecure);
      const as = await oauth4webapi.processDiscoveryResponse(issuer, found);
      expect(as.registration_endpoint).toBe(`${server.url}/reg`);
      const response = await oauth4webapi.dynamicClientRegistrationRequest(as, web, {
        ...insecure,
        initialAccessToken: (await addToken()).token,
      });
      const client = await oauth4webapi.processDynamicClientRegistrationResponse(response);
      expect(client).toMatchObject({
        client_name: 'Printshop',
        client_secret: expect.stringMatching(/^kdcs_/),
        client_secret_expires_at: 0,
        client_id_issued_at: expect.any(Number),
        redirect_uris: [REDIRECT_URI],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
        scope: 'openid profile email address phone offline_access',
      });
    });

    it('sets the algorithm of signed authorization responses, RS256 by default (JARM §3)', async () => {
      const alg = 'authorization_signed_response_alg';
      expect((await register(web)).body[alg]).toBe('RS256');
      const { body } = await register({ ...web, [alg]: 'ES256' });
      expect(body[alg]).toBe('ES256');
      const read = await send(
        'GET',
        String(body.registration_client_uri),
        String(body.registration_access_token),
      );
      expect(read.body[alg]).toBe('ES256');
    });

    it.each([
      ['a single-page app', { ...web, token_endpoint_auth_method: 'none' }, 'spa', 'none'],
      [
        'a native app',
        { client_name: 'App', application_type: 'native', redirect_uris: ['com.example.app:/callback'] },
        'native',
        'none',
      ],
      [
        'a machine',
        { client_name: 'Job', grant_types: ['client_credentials'] },
        'machine',
        'client_secret_basic',
      ],
    ])('detects the type of %s', async (_, metadata, type, method) => {
      const { status, body } = await register(metadata);
      expect([status, body.token_endpoint_auth_method]).toEqual([201, method]);
      expect('client_secret' in body).toBe(method !== 'none');
      expect((await server.clients.get(String(body.client_id))).type).toBe(type);
    });

    it('registers clients without verification and role, whatever the metadata contains', async () => {
      const { body } = await register({
        client_name: 'Job',
        grant_types: ['client_credentials'],
        scope: 'tickets:read',
        role: 'admin',
        keydesk_role: 'admin',
        keydesk_verified: true,
        isVerified: true,
        owner: null,
        client_id: 'chosen',
        client_secret: 'chosen',
      });
      expect(body.client_id).not.toBe('chosen');
      const client = await server.clients.get(String(body.client_id));
      expect(client).toMatchObject({ role: null, isVerified: false });
      const tokens = await server.requestToken({
        grant_type: 'client_credentials',
        client_id: String(body.client_id),
        client_secret: String(body.client_secret),
        resource: API,
      });
      const { access_token = '' } = (await tokens.json()) as { access_token?: string };
      const [, payload = ''] = access_token.split('.');
      expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).not.toHaveProperty('role');
    });

    it('stores neither the token nor the secret in clear (RFC 7591 §5)', async () => {
      const { token } = await addToken();
      const { body } = await register(web, token);
      const dump = await storage.database().dump();
      for (const secret of [body.registration_access_token, body.client_secret, token])
        expect(dump.includes(String(secret))).toBe(false);
      expect(server.logged()).not.toContain(String(body.registration_access_token));
    });

    it('is recorded in the audit log with the id of the initial access token', async () => {
      const { token, stored } = await addToken();
      const { body } = await register(web, token);
      const [record] = await storage
        .get()
        .audit.list({ types: ['client.registered'], clientId: String(body.client_id), limit: 1 });
      expect(record).toMatchObject({ actor: `registration:${stored.id}`, address: '127.0.0.1' });
    });
  });

  describe('an initial access token (RFC 7591 §3)', () => {
    it.each([
      ['missing', async () => ''],
      ['made up', async () => 'kdit_made-up'],
      ['expired', expiredToken],
    ])('is rejected if it is %s, before the metadata is validated', async (_, create) => {
      const token = await create();
      const { status, headers, body } = await send('POST', '/reg', token || undefined, { redirect_uris: 7 });
      expect([status, body.error]).toEqual([401, 'invalid_token']);
      expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
    });

    async function expiredToken(): Promise<string> {
      const { token } = await addToken(5, 60);
      server.time.ahead = 61_000;
      onFinished(() => {
        server.time.ahead = 0;
      });
      return token;
    }

    it('registers exactly as many clients as it has uses, even in a race', async () => {
      const { token } = await addToken(3);
      const answers = await Promise.all(Array.from({ length: 10 }, () => register(web, token)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([
        ...Array(3).fill(201),
        ...Array(7).fill(403),
      ]);
    });

    it('loses no use to a rejected registration', async () => {
      const { token } = await addToken(1);
      expect((await register({ ...web, redirect_uris: ['http://app.example/'] }, token)).status).toBe(400);
      expect((await register(web, token)).status).toBe(201);
    });

    it('is rejected once it is revoked', async () => {
      const { token, stored } = await addToken();
      await storage.get().initialAccessTokens.remove(stored.id);
      expect((await register(web, token)).status).toBe(401);
    });
  });

  describe('the metadata of a client (RFC 7591 §3.2.2, RFC 9700 §2.1)', () => {
    it.each([
      ['plain http', ['http://app.example/callback']],
      ['a fragment', ['https://app.example/callback#x']],
      ['a script', ['javascript:alert(1)//']],
      ['none', []],
      ['one good and one bad', [REDIRECT_URI, 'data:text/html,x']],
    ])('is rejected with unsafe redirect URIs: %s', async (_, redirect_uris) => {
      const { status, body } = await register({ ...web, redirect_uris });
      expect([status, body.error]).toEqual([400, 'invalid_redirect_uri']);
      expect(body.error_description).toContain('redirect_uris');
    });

    it('is rejected with grant types that the setting does not allow', async () => {
      const strict = await startTestServer(storage.get(), {
        config: { registrationGrantTypes: ['authorization_code'] },
      });
      onFinished(() => strict.stop());
      const registerAt = async (metadata: object) =>
        send('POST', `${strict.url}/reg`, (await addToken()).token, metadata);
      for (const grants of [['client_credentials'], ['authorization_code', 'refresh_token']]) {
        const { status, body } = await registerAt({ ...web, grant_types: grants });
        expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
      }
      expect((await registerAt(web)).status).toBe(201);
    });

    it.each([
      ['implicit', { grant_types: ['implicit'] }],
      ['a password grant', { grant_types: ['authorization_code', 'password'] }],
      ['the response type token', { response_types: ['token'] }],
      ['client_secret_jwt', { token_endpoint_auth_method: 'client_secret_jwt' }],
      ['private_key_jwt without keys', { token_endpoint_auth_method: 'private_key_jwt' }],
      ['unsigned authorization responses (JARM §3)', { authorization_signed_response_alg: 'none' }],
      ['keys at a URL', { jwks_uri: 'https://app.example/jwks' }],
      ['an unknown scope', { scope: 'openid everything' }],
      ['a scope for verified applications', { scope: 'tickets:delete' }],
      ['an unsafe home page', { client_uri: 'javascript:alert(1)' }],
      ['an unsafe privacy policy', { policy_uri: 'http://app.example/' }],
      ['unsafe terms of service', { tos_uri: 'data:text/html,x' }],
      ['an unsafe logo', { logo_uri: 'javascript:alert(1)' }],
      ['an unprintable name', { client_name: '\u0000' }],
      ['a list as a name', { client_name: ['x'] }],
      ['pairwise subjects', { subject_type: 'pairwise' }],
      [
        'a native app with a secret',
        { application_type: 'native', token_endpoint_auth_method: 'client_secret_basic' },
      ],
    ])('is rejected with a reason: %s', async (_, metadata) => {
      const { status, body } = await register({ ...web, ...metadata });
      expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
      expect(body.error_description).toMatch(/\w+/);
    });

    it.each([
      ['no JSON', '{'],
      ['no object', '[]'],
      ['too large', JSON.stringify({ ...web, x: 'x'.repeat(40_000) })],
    ])('is rejected as invalid_request if it is %s', async (_, body) => {
      const answer = await register(body);
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    });

    it('can have a privacy policy and terms of service, which the response contains (§3.2.1)', async () => {
      const pages = { policy_uri: 'https://app.example/privacy', tos_uri: 'https://app.example/terms' };
      const { status, body } = await register({ ...web, ...pages });
      expect([status, body]).toEqual([201, expect.objectContaining(pages)]);
    });

    it('can have unknown members and nulls, which are ignored (§2)', async () => {
      const { status, body } = await register({ ...web, software_id: 'x', client_uri: null });
      expect([status, 'software_id' in body]).toEqual([201, false]);
    });
  });

  describe('requests to register', () => {
    it('are limited by address', async () => {
      const strict = await startTestServer(storage.get(), {
        config: { registrationRateLimitPerAddress: 2 },
      });
      const json = { headers: { 'content-type': 'application/json' }, body: '{}' };
      const statuses = await Promise.all(
        [1, 2, 3].map(async () => (await fetch(`${strict.url}/reg`, { ...json, method: 'POST' })).status),
      );
      expect(statuses.toSorted()).toEqual([401, 401, 429]);
      await strict.stop();
    });

    it('are answered 404 if registration is disabled', async () => {
      const closed = await startTestServer(storage.get(), { config: { isRegistrationOffered: false } });
      expect((await fetch(`${closed.url}/reg`, { method: 'POST' })).status).toBe(404);
      const metadata = await (await fetch(`${closed.url}/.well-known/openid-configuration`)).json();
      expect(metadata).not.toHaveProperty('registration_endpoint');
      await closed.stop();
    });
  });
});

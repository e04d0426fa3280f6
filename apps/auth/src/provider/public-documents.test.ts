import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { languages } from '../pages/language.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { startTestServer, type TestServer } from '../tests/test-server.fixture.ts';

const authMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'];
const assertionAlgorithms = ['ES256', 'ES384', 'PS256', 'RS256', 'EdDSA', 'Ed25519'];
const metadataPaths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));

  describe.each(metadataPaths)('the metadata at %s (RFC 8414 §2, §3)', (path) => {
    it('contains exactly what is offered', async () => {
      const response = await fetch(server.url + path);
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expect(await response.json()).toEqual({
        issuer: server.url,
        token_endpoint: `${server.url}/token`,
        jwks_uri: `${server.url}/jwks`,
        authorization_endpoint: `${server.url}/auth`,
        userinfo_endpoint: `${server.url}/me`,
        revocation_endpoint: `${server.url}/token/revocation`,
        introspection_endpoint: `${server.url}/token/introspection`,
        status_list_aggregation_endpoint: `${server.url}/token-status-lists`,
        introspection_signing_alg_values_supported: ['ES256', 'PS256', 'RS256'],
        end_session_endpoint: `${server.url}/session/end`,
        device_authorization_endpoint: `${server.url}/device/auth`,
        client_id_metadata_document_supported: true,
        registration_endpoint: `${server.url}/reg`,
        backchannel_logout_supported: true,
        backchannel_logout_session_supported: true,
        authorization_response_iss_parameter_supported: true,
        code_challenge_methods_supported: ['S256'],
        dpop_signing_alg_values_supported: ['ES256', 'Ed25519', 'EdDSA'],
        pushed_authorization_request_endpoint: `${server.url}/request`,
        request_parameter_supported: true,
        request_object_signing_alg_values_supported: ['ES256', 'ES384', 'PS256', 'RS256', 'EdDSA', 'Ed25519'],
        request_uri_parameter_supported: false,
        response_types_supported: ['code'],
        response_modes_supported: ['query', 'form_post', 'jwt', 'query.jwt', 'form_post.jwt'],
        authorization_signing_alg_values_supported: ['ES256', 'PS256', 'RS256'],
        grant_types_supported: expect.toSatisfy(
          (grants: string[]) =>
            grants.toSorted().join() ===
            'authorization_code,client_credentials,refresh_token,urn:ietf:params:oauth:grant-type:device_code',
        ),
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256', 'PS256', 'RS256'],
        claims_supported: expect.arrayContaining(['sub', 'name', 'email', 'email_verified', 'address']),
        claims_parameter_supported: true,
        acr_values_supported: [
          'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
          'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
          'phr',
        ],
        prompt_values_supported: ['none', 'create', 'login', 'consent'],
        ui_locales_supported: [...languages],
        scopes_supported: [
          ...['openid', 'profile', 'email', 'address', 'phone', 'offline_access'],
          ...['tickets:read', 'tickets:write', 'tickets:delete'],
        ],
        ...Object.fromEntries(
          ['token', 'revocation', 'introspection'].flatMap((endpoint) => [
            [
              `${endpoint}_endpoint_auth_methods_supported`,
              // RFC 7662 §2.1: introspection requires client authentication.
              endpoint === 'introspection' ? authMethods.filter((method) => method !== 'none') : authMethods,
            ],
            [`${endpoint}_endpoint_auth_signing_alg_values_supported`, assertionAlgorithms],
          ]),
        ),
      });
    });

    it('contains URLs of the issuer, whatever host and target the request names', async () => {
      for (const target of [path, `http://evil.example${path}`]) {
        const headers = {
          Host: 'evil.example',
          'X-Forwarded-Host': 'evil.example',
          'X-Forwarded-Proto': 'https',
        };
        const sent = request({
          host: '127.0.0.1',
          port: new URL(server.url).port,
          path: target,
          headers,
        }).end();
        const [response] = (await once(sent, 'response')) as [IncomingMessage];
        expect(await json(response)).toMatchObject({
          issuer: server.url,
          token_endpoint: `${server.url}/token`,
          jwks_uri: `${server.url}/jwks`,
        });
      }
    });

    it('is readable by pages of any origin and cacheable for minutes', async () => {
      const { headers } = await fetch(server.url + path, { headers: { Origin: 'https://page.example' } });
      expect(headers.get('access-control-allow-origin')).toBe('https://page.example');
      expect(headers.get('cache-control')).toBe('public, max-age=300');
    });
  });

  describe('the key set (RFC 7517 §5)', () => {
    it('contains the public members of each current and next key, and no private ones', async () => {
      const { keys } = (await (await fetch(`${server.url}/jwks`)).json()) as {
        keys: Record<string, unknown>[];
      };
      const common = { use: 'sig', kid: expect.stringMatching(/^[\w-]{43}$/) };
      const text = expect.any(String);
      const ec = { ...common, kty: 'EC', crv: 'P-256', alg: 'ES256', x: text, y: text };
      // 256 bytes; without `alg`, because it signs RS256 and PS256.
      const rsa = { ...common, kty: 'RSA', e: 'AQAB', n: expect.stringMatching(/^[\w-]{342}$/) };
      expect(keys.toSorted((a, b) => String(a.kty).localeCompare(String(b.kty)))).toEqual([ec, ec, rsa, rsa]);
    });

    it('is cacheable for minutes, but shorter than a key is published before use', async () => {
      const cacheControlOf = async ({ url }: TestServer) =>
        (await fetch(`${url}/jwks`)).headers.get('cache-control');
      expect(await cacheControlOf(server)).toBe('public, max-age=300');
      const hasty = await startTestServer(storage.get(), { config: { keyPublicationLeadSeconds: 60 } });
      expect(await cacheControlOf(hasty)).toBe('public, max-age=30');
      await hasty.stop();
    });

    it('is the same on two servers with one database', async () => {
      const other = await startTestServer(await storage.openAnother());
      const [one, two] = await Promise.all(
        [server, other].map(async ({ url }) => (await fetch(`${url}/jwks`)).json()),
      );
      await other.stop();
      expect(one).toEqual(two);
    });
  });

  describe('a route that is not offered', () => {
    it.each([
      ['POST', '/backchannel'],
      ['POST', '/TOKEN'],
      ['POST', '/token/'],
      ['GET', '/'],
      ['GET', '/metrics'],
      ['GET', '/__proto__'],
    ])('is not found: %s %s', async (method, path) => {
      const response = await fetch(server.url + path, { method, redirect: 'manual' });
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    });
  });

  describe('the health checks', () => {
    it('report that the server runs and is ready', async () => {
      for (const path of ['/healthz', '/readyz']) expect((await fetch(server.url + path)).status).toBe(200);
    });
  });
});

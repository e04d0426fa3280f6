import { useStarted } from '@keydesk/testing';
import { exportJWK, generateKeyPair } from 'jose';
import * as oauth from 'openid-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { DEVICE_GRANT } from '../../clients/client-types.ts';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { authorize, createRequest, REDIRECT_URI, redeem, signIn } from '../../tests/people.fixture.ts';
import { startTestServer, type TestServer } from '../../tests/test-server.fixture.ts';
import { paths } from '../../web/kit/account-paths.ts';
import { requestAuthorization, startApplication, startDocumentJourney } from './client-documents.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  let server: TestServer;
  const app = useStarted(startApplication);
  let count = 0;
  beforeEach(async () => {
    server = await startTestServer(storage.get());
    count += 1;
    return () => server.stop();
  });

  const newPath = () => `/client-${count}.json`;

  describe('a client that describes itself by a document (draft-ietf-oauth-client-id-metadata-document)', () => {
    it('signs users in with PKCE, as an unverified client with only its host proved', async () => {
      const lies = {
        client_uri: 'https://bank.example',
        logo_uri: 'https://bank.example/logo.png',
        keydesk_verified: true,
      };
      const clientId = app.publish(newPath(), lies);
      const journey = await startDocumentJourney(server, clientId);
      const request = await createRequest(journey, { scope: 'openid tickets:read' });
      const consent = await signIn(journey, await journey.browser.open(request.url));
      expect(consent.html).toContain('Not verified');
      expect(consent.html).not.toContain('bank.example');
      const tokens = await redeem(journey, request, await authorize(journey, request));
      expect(tokens.claims()?.aud).toBe(clientId);
    });

    it('is rejected if its document repeats a name (RFC 8259 §4)', async () => {
      const path = newPath();
      const clientId = app.publish(path);
      const { body = '' } = app.documents.get(path) ?? {};
      app.documents.set(path, { body: body.replace('{', '{"client_name":"Bank",') });
      expect((await requestAuthorization(server, clientId)).status).toBe(400);
    });

    it('is listed among the connected applications and can be revoked there', async () => {
      const grants = { grant_types: ['authorization_code', 'refresh_token'] };
      const journey = await startDocumentJourney(server, app.publish(newPath(), grants));
      const request = await createRequest(journey);
      const tokens = await redeem(journey, request, await authorize(journey, request));
      const page = await journey.browser.open(paths.connectedApplications);
      expect(page.html).toContain(new URL(app.origin).host);
      const [, form = ''] = /<form id="(revoke-[^"]+)"/.exec(page.html) ?? [];
      await journey.browser.submit(page, form);
      const refresh = oauth.refreshTokenGrant(journey.application, tokens.refresh_token ?? '');
      await expect(refresh).rejects.toMatchObject({ error: 'invalid_grant' });
    });

    it('cannot introspect tokens of other clients, whatever its document says (RFC 7662 §4)', async () => {
      const { publicKey, privateKey } = await generateKeyPair('ES256');
      const clientId = app.publish(newPath(), {
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig' }] },
        keydesk_resource_server: true,
      });
      const asking = await oauth.discovery(
        new URL(server.url),
        clientId,
        undefined,
        oauth.PrivateKeyJwt(privateKey),
        { execute: [oauth.allowInsecureRequests] },
      );
      const other = await startDocumentJourney(server, app.publish('/other.json'));
      const request = await createRequest(other, { scope: 'openid tickets:read' });
      const { access_token: token } = await redeem(other, request, await authorize(other, request));
      expect(await oauth.tokenIntrospection(asking, token)).toEqual({ active: false });
    });

    it('stays unverified if its URL is written differently', async () => {
      const path = newPath();
      const clientId = app.origin.replace('https', 'HTTPS') + path;
      app.publish(path, { client_id: clientId, keydesk_verified: true });
      const journey = await startDocumentJourney(server, clientId);
      const { url } = await createRequest(journey, { scope: 'openid' });
      expect((await signIn(journey, await journey.browser.open(url))).html).toContain('Not verified');
    });

    it('is advertised in the metadata of the server', async () => {
      const { application } = await startDocumentJourney(server, app.publish(newPath()));
      expect(application.serverMetadata().client_id_metadata_document_supported).toBe(true);
    });

    it.each([
      ['en', 'describes itself', 'where other programs can pose as it'],
      ['de', 'beschreibt sich selbst', 'wo sich andere Programme für sie ausgeben können'],
    ])(
      'is shown on the consent page (%s) with its host, as a client that others can impersonate',
      async (...expected) => {
        const [language, title, onDevice] = expected;
        const local = ['http://127.0.0.1/callback', REDIRECT_URI];
        const journey = await startDocumentJourney(server, app.publish(newPath(), { redirect_uris: local }));
        const parameters = { scope: 'openid tickets:read', ui_locales: language };
        const request = await createRequest(journey, parameters);
        const asked = await journey.browser.open(request.url);
        const { host } = new URL(app.origin);
        expect(asked.html).toContain(`Notebook (${host})`);
        const { html } = await signIn(journey, asked);
        const [, panel] = /id="described-by-document">(.*?)<\/div><\/div>/s.exec(html) ?? [];
        for (const text of [host, title, onDevice]) expect(panel).toContain(text);
      },
    );

    it('gets the supported parts of its document, and no scope that requires verification', async () => {
      const members = {
        scope: 'openid tickets:read tickets:delete calendar:read',
        grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT, 'client_credentials'],
      };
      const clientId = app.publish(newPath(), members);
      const journey = await startDocumentJourney(server, clientId);
      const request = await createRequest(journey, { scope: 'openid tickets:read' });
      const tokens = await redeem(journey, request, await authorize(journey, request));
      expect(tokens.scope).toBe('openid tickets:read');
      const reserved = await createRequest(journey, { scope: 'openid tickets:delete' });
      expect((await authorize(journey, reserved)).searchParams.get('error')).toBe('invalid_scope');
      const device = await oauth.initiateDeviceAuthorization(journey.application, {}).catch((err) => err);
      expect(device.error).toBe('unauthorized_client');
    });

    it('causes no redirect by an invalid request before sign-in (RFC 9700 §4.11.2)', async () => {
      const journey = await startDocumentJourney(server, app.publish(newPath()));
      const { url } = await createRequest(journey, { scope: 'openid tickets:delete' });
      const page = await journey.browser.open(url);
      expect([page.url.origin, page.redirects]).toEqual([server.url, []]);
      expect(page.html).toContain(REDIRECT_URI);
    });

    it('is redirected to any loopback port, even without an application_type (RFC 8252 §7.3)', async () => {
      const clientId = app.publish(newPath(), { redirect_uris: ['http://localhost/callback'] });
      const journey = await startDocumentJourney(server, clientId);
      const redirectUri = 'http://localhost:49152/callback';
      const request = await createRequest(journey, { redirect_uri: redirectUri, scope: 'openid' });
      expect((await authorize(journey, request)).href).toContain(`${redirectUri}?code=`);
    });

    it.each([
      ['the client_id of another', { client_id: 'https://other.example/client.json' }],
      ['a secret', { client_secret: 'x', token_endpoint_auth_method: 'client_secret_basic' }],
      ['client_credentials', { grant_types: ['client_credentials'], response_types: [], redirect_uris: [] }],
      ['a redirect URI in plain http', { redirect_uris: ['http://app.example/callback'] }],
      ['a script as redirect URI', { redirect_uris: ['javascript:alert(1)'] }],
      ['private_key_jwt without keys', { token_endpoint_auth_method: 'private_key_jwt' }],
      ['an unreadable name', { client_name: '\u0000' }],
      ['a number as scope', { scope: 5, redirect_uris: 5 }],
      ['numbers as redirect URIs', { redirect_uris: [5] }],
      ['a number as grant types', { grant_types: 5 }],
    ])('is rejected with a page if its document has %s', async (_, members) => {
      const { status, html } = await requestAuthorization(server, app.publish(newPath(), members));
      expect(status).toBe(400);
      expect(html).not.toContain('id="sign-in"');
    });
  });
});

import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createCertificate, useStarted } from '@keydesk/testing';
import { exportJWK, generateKeyPair } from 'jose';
import * as oauth from 'openid-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { paths } from '../account-pages/paths.ts';
import { createBrowser } from '../browser.fixture.ts';
import { DEVICE_GRANT } from '../clients/device-grant.ts';
import { authorize, createRequest, type Journey, redeem, signIn } from '../people.fixture.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { startTestServer, type TestServer } from '../test-server.fixture.ts';

const REDIRECT_URI = 'https://app.example/callback';
const usualCertificates = getCACertificates('default');

/** The web server of an application, with whatever documents a test puts there. */
async function startApplication() {
  const certificate = createCertificate();
  setDefaultCACertificates([...usualCertificates, certificate.cert]);
  const documents = new Map<string, { status?: number; headers?: Record<string, string>; body: string }>();
  const fetched: string[] = [];
  const server = createServer(certificate, (request, response) => {
    const path = request.url ?? '';
    fetched.push(path);
    const { status = 200, headers = {}, body } = documents.get(path) ?? { status: 404, body: '' };
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`;

  return {
    origin,
    documents,
    fetched,
    /** Publishes a document that describes a public client, but for what is said; its URL is the `client_id`. */
    publish(path: string, members: Readonly<Record<string, unknown>> = {}): string {
      const document = {
        client_id: origin + path,
        client_name: 'Notebook',
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: 'none',
        ...members,
      };
      documents.set(path, { body: JSON.stringify(document) });
      return origin + path;
    },
    async stop() {
      setDefaultCACertificates(usualCertificates);
      server.close().closeAllConnections();
    },
  };
}

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  let server: TestServer;
  const app = useStarted(startApplication);
  let count = 0;
  beforeEach(async () => {
    server = await startTestServer(storage.get(), {
      config: { takesClientDocuments: true, allowsPrivateAddresses: true },
    });
    count += 1;
    return () => server.stop();
  });

  const newPath = () => `/client-${count}.json`;

  async function journeyOf(clientId: string): Promise<Journey> {
    const account = await server.addAccount({ role: 'customer' });
    return {
      server,
      email: account.email,
      accountId: account.id,
      clientId,
      clientSecret: null,
      browser: createBrowser(server.url),
      application: await oauth.discovery(new URL(server.url), clientId, undefined, oauth.None(), {
        execute: [oauth.allowInsecureRequests],
      }),
    };
  }

  async function ask(clientId: string, at = server): Promise<{ status: number; html: string }> {
    const journey = { ...(await journeyOf(clientId)), server: at, browser: createBrowser(at.url) };
    const { url } = await createRequest(journey, { scope: 'openid' });
    return journey.browser.open(new URL(url.pathname + url.search, at.url));
  }

  describe('a client that describes itself by a document (draft-ietf-oauth-client-id-metadata-document)', () => {
    it('signs people in with PKCE, as one that nobody vouches for, by the host that is proved', async () => {
      const clientId = app.publish(newPath(), { client_uri: 'https://bank.example', keydesk_verified: true });
      const journey = await journeyOf(clientId);
      const request = await createRequest(journey, { scope: 'openid tickets:read' });
      const consent = await signIn(journey, await journey.browser.open(request.url));
      expect(consent.html).toContain('Not verified');
      expect(consent.html).toContain(new URL(app.origin).host);
      expect(consent.html).not.toContain('bank.example');
      const tokens = await redeem(journey, request, await authorize(journey, request));
      expect(tokens.claims()?.aud).toBe(clientId);
    });

    it('is seen among the connected applications, and loses what it was allowed there', async () => {
      const grants = { grant_types: ['authorization_code', 'refresh_token'] };
      const journey = await journeyOf(app.publish(newPath(), grants));
      const request = await createRequest(journey);
      const tokens = await redeem(journey, request, await authorize(journey, request));
      const page = await journey.browser.open(paths.connectedApplications);
      expect(page.html).toContain(new URL(app.origin).host);
      const [, form = ''] = /<form id="(revoke-[^"]+)"/.exec(page.html) ?? [];
      await journey.browser.submit(page, form);
      const refresh = oauth.refreshTokenGrant(journey.application, tokens.refresh_token ?? '');
      await expect(refresh).rejects.toMatchObject({ error: 'invalid_grant' });
    });

    it('may not ask about tokens of others, whatever it says that it is (RFC 7662 §4)', async () => {
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
      const other = await journeyOf(app.publish('/other.json'));
      const request = await createRequest(other, { scope: 'openid tickets:read' });
      const { access_token: token } = await redeem(other, request, await authorize(other, request));
      expect(await oauth.tokenIntrospection(asking, token)).toEqual({ active: false });
    });

    it('is not vouched for either when its address is written in another way', async () => {
      const path = newPath();
      const clientId = app.origin.replace('https', 'HTTPS') + path;
      app.publish(path, { client_id: clientId, keydesk_verified: true });
      const journey = await journeyOf(clientId);
      const { url } = await createRequest(journey, { scope: 'openid' });
      expect((await signIn(journey, await journey.browser.open(url))).html).toContain('Not verified');
    });

    it('is named in the metadata of the server', async () => {
      const { application } = await journeyOf(app.publish(newPath()));
      expect(application.serverMetadata().client_id_metadata_document_supported).toBe(true);
    });

    it('is fetched once for many requests', async () => {
      const path = newPath();
      const clientId = app.publish(path);
      for (let i = 0; i < 3; i += 1) expect((await ask(clientId)).status).toBe(200);
      expect(app.fetched.filter((each) => each === path)).toHaveLength(1);
    });

    it.each([
      ['the client_id of another', { client_id: 'https://other.example/client.json' }],
      ['a secret', { client_secret: 'x', token_endpoint_auth_method: 'client_secret_basic' }],
      ['client_credentials', { grant_types: ['client_credentials'], response_types: [], redirect_uris: [] }],
      ['the grant of devices', { grant_types: ['authorization_code', DEVICE_GRANT] }],
      ['a redirect URI in plain http', { redirect_uris: ['http://app.example/callback'] }],
      ['a redirect URI that is a script', { redirect_uris: ['javascript:alert(1)'] }],
      ['a scope for verified applications', { scope: 'openid tickets:delete' }],
      ['private_key_jwt without keys', { token_endpoint_auth_method: 'private_key_jwt' }],
      ['no name that can be read', { client_name: '\u0000' }],
    ])('is refused on a page when its document has %s', async (_, members) => {
      const { status, html } = await ask(app.publish(newPath(), members));
      expect(status).toBe(400);
      expect(html).not.toContain('id="sign-in"');
    });

    it.each([
      ['a redirect', { status: 302, headers: { location: '/elsewhere.json' }, body: '' }],
      ['not found', { status: 404, body: '' }],
      ['more than 5 KB', { body: JSON.stringify({ x: 'x'.repeat(6_000) }) }],
      ['no JSON', { body: '<html>' }],
    ])('is refused when its address answers with %s', async (_, answer) => {
      const path = newPath();
      app.documents.set(path, answer);
      app.publish('/elsewhere.json', { client_id: app.origin + path });
      expect((await ask(app.origin + path)).status).toBe(400);
    });

    it.each([
      'http://localhost/client.json',
      'https://user@localhost/client.json',
      'https://localhost/a/../b',
    ])('is not fetched from an address such as %s', async (clientId) => {
      const before = app.fetched.length;
      expect((await ask(clientId)).status).toBe(400);
      expect(app.fetched).toHaveLength(before);
    });

    it('is not fetched from this machine or its network (OWASP SSRF)', async () => {
      const strict = await startTestServer(storage.get(), {
        config: { takesClientDocuments: true, allowsPrivateAddresses: false },
      });
      const path = newPath();
      const { status } = await ask(app.publish(path), strict);
      expect([status, app.fetched.includes(path)]).toEqual([400, false]);
      await strict.stop();
    });

    it('is fetched for one address a few times a minute only', async () => {
      const before = app.fetched.length;
      for (let i = 0; i < 25; i += 1) await ask(`${app.origin}/missing-${count}-${i}.json`);
      expect(app.fetched.length - before).toBe(20);
    });

    it('is unknown where the setting is off, and never fetched', async () => {
      const closed = await startTestServer(storage.get());
      const path = newPath();
      const { status } = await ask(app.publish(path), closed);
      expect([status, app.fetched.includes(path)]).toEqual([400, false]);
      const metadata = await (await fetch(`${closed.url}/.well-known/openid-configuration`)).json();
      expect(metadata).not.toHaveProperty('client_id_metadata_document_supported');
      await closed.stop();
    });
  });
});

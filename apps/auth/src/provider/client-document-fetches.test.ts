import { useStarted } from '@keydesk/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { startTestServer, type TestServer } from '../test-server.fixture.ts';
import { askFor, startApplication } from './client-documents.fixture.ts';

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

  describe('the document of a client (draft-ietf-oauth-client-id-metadata-document §6, OWASP SSRF)', () => {
    it.each([
      ['is denied', { clientDocumentDeniedHosts: ['localhost'] }],
      ['is not among those allowed', { clientDocumentAllowedHosts: ['*.example.com', 'app.localhost'] }],
      [
        'is allowed and denied',
        { clientDocumentAllowedHosts: ['localhost'], clientDocumentDeniedHosts: ['localhost'] },
      ],
      ['is this machine, in production', { mode: 'production' as const }],
    ])('is refused and never fetched where its host %s', async (_, config) => {
      const choosy = await startTestServer(storage.get(), {
        config: { allowsPrivateAddresses: true, ...config },
      });
      const path = newPath();
      const clientId = app.publish(path);
      for (const spelling of [clientId, clientId.replace('localhost', 'LOCALHOST.')]) {
        const { status } = await askFor(choosy, spelling);
        expect([status, app.fetched.includes(path)]).toEqual([400, false]);
      }
      await choosy.stop();
    });

    it('is accepted where its host is allowed', async () => {
      const choosy = await startTestServer(storage.get(), {
        config: { allowsPrivateAddresses: true, clientDocumentAllowedHosts: ['localhost'] },
      });
      expect((await askFor(choosy, app.publish(newPath()))).status).toBe(200);
      await choosy.stop();
    });

    it('is fetched once for many requests', async () => {
      const path = newPath();
      const clientId = app.publish(path);
      for (let i = 0; i < 3; i += 1) expect((await askFor(server, clientId)).status).toBe(200);
      expect(app.fetched.filter((each) => each === path)).toHaveLength(1);
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
      expect((await askFor(server, app.origin + path)).status).toBe(400);
    });

    it.each([
      'http://localhost/client.json',
      'https://user@localhost/client.json',
      'https://localhost/a/../b',
    ])('is not fetched from an address such as %s', async (clientId) => {
      const before = app.fetched.length;
      expect((await askFor(server, clientId)).status).toBe(400);
      expect(app.fetched).toHaveLength(before);
    });

    it('is not fetched from this machine or its network (OWASP SSRF)', async () => {
      const strict = await startTestServer(storage.get(), {
        config: { allowsPrivateAddresses: false },
      });
      const path = newPath();
      const { status } = await askFor(strict, app.publish(path));
      expect([status, app.fetched.includes(path)]).toEqual([400, false]);
      await strict.stop();
    });

    it('is fetched for one address a few times a minute only', async () => {
      const before = app.fetched.length;
      for (let i = 0; i < 25; i += 1) await askFor(server, `${app.origin}/missing-${count}-${i}.json`);
      expect(app.fetched.length - before).toBe(20);
    });

    it('is unknown where the setting is off, and never fetched', async () => {
      const closed = await startTestServer(storage.get(), { config: { takesClientDocuments: false } });
      const path = newPath();
      const { status } = await askFor(closed, app.publish(path));
      expect([status, app.fetched.includes(path)]).toEqual([400, false]);
      const metadata = await (await fetch(`${closed.url}/.well-known/openid-configuration`)).json();
      expect(metadata).not.toHaveProperty('client_id_metadata_document_supported');
      await closed.stop();
    });
  });
});

import { useStarted } from '@keydesk/testing';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { startTestServer, type TestServer } from '../../tests/test-server.fixture.ts';
import { requestAuthorization, startApplication } from './client-documents.fixture.ts';

/** Longer than the default cache lifetime of a document. */
const CACHED_MS = 61_000;

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
      ['is not on the allow list', { clientDocumentAllowedHosts: ['*.example.com', 'app.localhost'] }],
      [
        'is on both lists',
        { clientDocumentAllowedHosts: ['localhost'], clientDocumentDeniedHosts: ['localhost'] },
      ],
      ['is this machine, in production', { mode: 'production' as const }],
    ])('is rejected without a fetch if its host %s', async (_, config) => {
      const choosy = await startTestServer(storage.get(), {
        config: { allowsPrivateAddresses: true, ...config },
      });
      const path = newPath();
      const clientId = app.publish(path);
      for (const spelling of [clientId, clientId.replace('localhost', 'LOCALHOST.')]) {
        const { status } = await requestAuthorization(choosy, spelling);
        expect([status, app.fetched.includes(path)]).toEqual([400, false]);
      }
      await choosy.stop();
    });

    it('is accepted if its host is allowed', async () => {
      const choosy = await startTestServer(storage.get(), {
        config: { allowsPrivateAddresses: true, clientDocumentAllowedHosts: ['localhost'] },
      });
      expect((await requestAuthorization(choosy, app.publish(newPath()))).status).toBe(200);
      await choosy.stop();
    });

    it('is fetched once for many requests', async () => {
      const path = newPath();
      const clientId = app.publish(path);
      for (let i = 0; i < 3; i += 1) expect((await requestAuthorization(server, clientId)).status).toBe(200);
      expect(app.fetched.filter((each) => each === path)).toHaveLength(1);
    });

    it.each([
      ['a redirect', { status: 302, headers: { location: '/elsewhere.json' }, body: '' }],
      ['404', { status: 404, body: '' }],
      ['more than 5 KB', { body: JSON.stringify({ x: 'x'.repeat(6_000) }) }],
      ['a body that is not JSON', { body: '<html>' }],
    ])('is rejected if its URL responds with %s', async (_, answer) => {
      const path = newPath();
      app.documents.set(path, answer);
      app.publish('/elsewhere.json', { client_id: app.origin + path });
      expect((await requestAuthorization(server, app.origin + path)).status).toBe(400);
    });

    it.each([
      'http://localhost/client.json',
      'https://user@localhost/client.json',
      'https://localhost/a/../b',
    ])('is not fetched from a URL such as %s', async (clientId) => {
      const before = app.fetched.length;
      expect((await requestAuthorization(server, clientId)).status).toBe(400);
      expect(app.fetched).toHaveLength(before);
    });

    it('is not fetched from this machine or its network (OWASP SSRF)', async () => {
      const strict = await startTestServer(storage.get(), {
        config: { allowsPrivateAddresses: false },
      });
      const path = newPath();
      const { status } = await requestAuthorization(strict, app.publish(path));
      expect([status, app.fetched.includes(path)]).toEqual([400, false]);
      await strict.stop();
    });

    it('is fetched at most 20 times a minute for one client address', async () => {
      const before = app.fetched.length;
      for (let i = 0; i < 25; i += 1)
        await requestAuthorization(server, `${app.origin}/missing-${count}-${i}.json`);
      expect(app.fetched.length - before).toBe(20);
    });

    it('is fetched at most 120 times a minute from one host, except for clients that were accepted before', async () => {
      const behindProxy = await startTestServer(storage.get(), { config: { trustedProxyHops: 1 } });
      let callers = 0;
      async function request(path: string): Promise<void> {
        callers += 1;
        const query = new URLSearchParams({ client_id: app.origin + path, response_type: 'code' });
        const headers = { 'X-Forwarded-For': `198.51.100.${callers}` };
        await fetch(`${behindProxy.url}/auth?${query}`, { headers, redirect: 'manual' });
      }
      const fetchesOf = (path: string) => app.fetched.filter((each) => each === path).length;
      const [accepted, unknown] = [newPath(), `/unknown-${count}.json`];
      for (const path of [accepted, unknown]) app.publish(path);
      await request(accepted);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + CACHED_MS });
      onTestFinished(() => void vi.useRealTimers());
      const before = app.fetched.length;
      for (let i = 0; i < 125; i += 1) await request(`/invented-${count}-${i}.json`);
      expect(app.fetched.length - before).toBe(120);
      await request(unknown);
      await request(accepted);
      expect([fetchesOf(unknown), fetchesOf(accepted)]).toEqual([0, 2]);
      await behindProxy.stop();
    });

    it('is neither accepted nor fetched if the feature is off', async () => {
      const closed = await startTestServer(storage.get(), { config: { acceptsClientDocuments: false } });
      const path = newPath();
      const { status } = await requestAuthorization(closed, app.publish(path));
      expect([status, app.fetched.includes(path)]).toEqual([400, false]);
      const metadata = await (await fetch(`${closed.url}/.well-known/openid-configuration`)).json();
      expect(metadata).not.toHaveProperty('client_id_metadata_document_supported');
      await closed.stop();
    });
  });
});

import { useStarted } from '@keydesk/testing';
import type { Middleware } from 'koa';
import { describe, expect, it } from 'vitest';
import { type EndpointSteps, listEndpoints } from './endpoints.ts';
import { openStorage } from './storage/open-storage.ts';
import { createSqliteDatabase } from './storage/test-database.fixture.ts';
import { startTestServer, type TestServer } from './tests/test-server.fixture.ts';

const pass: Middleware = (_ctx, next) => next();
/** Only paths and methods are compared; the suites of the steps prove what they do. */
const anySteps = new Proxy({} as EndpointSteps, { get: () => pass });
const resumptions = ['/auth/some-id', '/device/some-id'];

/** Returns the offered methods by path, with examples for patterns. */
function listOffered(isConformanceProfile = false): Map<string, string[]> {
  const endpoints = listEndpoints(anySteps, { isConformanceProfile });
  const byPath = Map.groupBy(endpoints, ({ path }) =>
    path instanceof RegExp ? resumptions.filter((each) => path.test(each)).join() : path,
  );
  return new Map([...byPath].map(([path, rows]) => [path, rows.flatMap(({ methods }) => methods)]));
}

async function startServer(config: { isConformanceProfile?: boolean } = {}): Promise<TestServer> {
  const database = await createSqliteDatabase();
  const storage = await openStorage(database.location);
  const server = await startTestServer(storage, { config });
  return {
    ...server,
    async stop() {
      await server.stop();
      await storage.close();
      await database.drop();
    },
  };
}

describe.each([false, true])('the table of endpoints (conformance profile: %s)', (isConformanceProfile) => {
  const server = useStarted(() => startServer({ isConformanceProfile }));
  const headers = { Accept: 'application/json', Origin: 'https://app.example' };
  const preflight = { ...headers, 'Access-Control-Request-Method': 'POST' };
  const send = (method: string, path: string) =>
    fetch(server.url + path, {
      method,
      headers: method === 'OPTIONS' ? preflight : headers,
      redirect: 'manual',
    });

  describe.each([...listOffered(isConformanceProfile)])('at %s', (path, offered) => {
    it.each(offered)('answers %s', async (method) => {
      const { status } = await send(method, path);
      expect([404, 405, 500]).not.toContain(status);
    });

    it('rejects other methods and lists its own in Allow (RFC 9110 §15.5.6)', async () => {
      const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
        (method) => !offered.includes(method),
      );
      for (const method of others) {
        const response = await send(method, path);
        expect([method, response.status]).toEqual([method, 405]);
        expect(response.headers.get('allow')).toBe(offered.join(', '));
      }
    });
  });

  it('contains each endpoint of the metadata (RFC 8414 §2)', async () => {
    const response = await send('GET', '/.well-known/oauth-authorization-server');
    const metadata = (await response.json()) as Record<string, string>;
    const published = Object.entries(metadata)
      .filter(([name]) => /_(endpoint|uri)$/.test(name) && name !== 'registration_endpoint')
      .map(([, url]) => new URL(url).pathname);
    expect(published.length).toBeGreaterThan(8);
    expect([...listOffered().keys()]).toEqual(expect.arrayContaining(published));
  });

  it.each([
    ...[
      '/token/',
      '/Token',
      '/auth/a/b',
      '/session',
      '/challenge',
      '/credential',
      '/backchannel',
      '/unknown',
    ],
    '/.well-known/openid-credential-issuer',
  ])('does not contain %s', async (path) => {
    for (const method of ['GET', 'POST', 'OPTIONS']) expect((await send(method, path)).status).toBe(404);
  });

  it.each([
    ...['/healthz', '/readyz', '/sign-in', '/account', '/account/developer/applications', '/reg'],
    '/interaction/some-id',
  ])("leaves %s to Keydesk's own endpoints", async (path) => {
    expect((await send('GET', path)).status).not.toBe(404);
  });
});

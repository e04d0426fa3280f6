import { describe, expect, it, onTestFinished } from 'vitest';
import type { AuthConfig } from '../config.ts';
import { openStorage } from '../storage/open-storage.ts';
import { createSqliteDatabase } from '../storage/test-database.fixture.ts';
import { startTestServer } from '../tests/test-server.fixture.ts';

async function start(config: Partial<AuthConfig>) {
  const database = await createSqliteDatabase();
  const storage = await openStorage(database.location);
  const server = await startTestServer(storage, { config });
  onTestFinished(async () => {
    await server.stop();
    await storage.close();
    await database.drop();
  });
  return (path: string, headers: Record<string, string> = { Accept: 'text/html' }) =>
    fetch(server.url + path, { headers, redirect: 'manual' });
}

describe('the rate limit of an address for browser endpoints', () => {
  it.each(['/auth', '/device', '/session/end'])(
    'limits requests to %s and responds with a page',
    async (path) => {
      const open = await start({ authorizationRateLimitPerAddress: 2 });
      for (let i = 0; i < 2; i += 1) expect((await open(path)).status).not.toBe(429);
      const refused = await open(path);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refused.headers.get('content-type')).toMatch(/^text\/html/);
      expect(refused.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(await refused.text()).toContain('Too many attempts');
    },
  );

  it('is shared by these endpoints and responds to programs in JSON', async () => {
    const open = await start({ authorizationRateLimitPerAddress: 2 });
    await open('/auth');
    await open('/session/end');
    const refused = await open('/device', { Accept: 'application/json' });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ error: 'too_many_requests' });
  });

  it('does not apply to sign-in, the key set and the token endpoint', async () => {
    const open = await start({ authorizationRateLimitPerAddress: 1 });
    await open('/auth');
    expect((await open('/auth')).status).toBe(429);
    for (const path of ['/sign-in', '/jwks']) expect((await open(path)).status).toBe(200);
    expect((await open('/token')).status).toBe(405);
  });

  it('counts each address behind a trusted proxy separately', async () => {
    const open = await start({ authorizationRateLimitPerAddress: 1, trustedProxyHops: 1 });
    const from = (address: string) => open('/auth', { 'X-Forwarded-For': address });
    expect((await from('203.0.113.1')).status).toBe(400);
    expect((await from('203.0.113.2')).status).toBe(400);
    expect((await from('198.51.100.7, 203.0.113.1')).status).toBe(429);
  });
});

import { openRedis } from '@keydesk/rate-limit';
import { describeWith, startRedis } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { createSqliteDatabase } from '../storage/test-database.fixture.ts';
import {
  basic,
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '../tests/test-server.fixture.ts';

const grant = { grant_type: 'client_credentials' };

async function openTestStorage(): Promise<Storage> {
  const database = await createSqliteDatabase();
  const storage = await openStorage(database.location);
  onTestFinished(async () => {
    await storage.close();
    await database.drop();
  });
  return storage;
}

async function startOn(storage: Storage, options: TestServerOptions): Promise<TestServer> {
  const server = await startTestServer(storage, options);
  onTestFinished(() => server.stop());
  return server;
}

async function start(options: TestServerOptions): Promise<TestServer> {
  return startOn(await openTestStorage(), options);
}

async function expectRateLimited(response: Response): Promise<void> {
  expect(response.status).toBe(429);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toEqual({
    error: 'too_many_requests',
    error_description: expect.stringContaining('token requests per minute'),
  });
}

describe('the rate limit of an address', () => {
  it('rejects requests before reading their content', async () => {
    const server = await start({ config: { tokenRateLimitPerAddress: 3 } });
    const { id, secret } = await server.addClient();
    for (let i = 0; i < 3; i += 1) expect((await server.requestToken({})).status).toBe(400);
    await expectRateLimited(await server.requestToken(grant, basic(id, secret)));
  });

  it.each(['/token/introspection', '/token/revocation'])(
    'limits guesses at %s as well, each of which is audited',
    async (path) => {
      const server = await start({ config: { tokenRateLimitPerAddress: 1 } });
      const { id } = await server.addClient();
      const guess = () => {
        const body = new URLSearchParams({ token: 'any' });
        return fetch(server.url + path, { method: 'POST', headers: basic(id, 'wrong'), body });
      };
      expect((await guess()).status).toBe(401);
      await expectRateLimited(await guess());
    },
  );

  it('counts each address behind a trusted proxy separately, ignoring forged headers', async () => {
    const server = await start({ config: { tokenRateLimitPerAddress: 1, trustedProxyHops: 1 } });
    const from = (forwarded: string) => server.requestToken({}, { 'X-Forwarded-For': forwarded });
    expect((await from('203.0.113.1')).status).toBe(400);
    expect((await from('203.0.113.2')).status).toBe(400);
    await expectRateLimited(await from('198.51.100.7, 203.0.113.1'));
  });

  it.each(['/token', '/request', '/token/revocation'])(
    'does not count preflight requests to %s (Fetch §4.8)',
    async (path) => {
      const server = await start({ config: { tokenRateLimitPerAddress: 1 } });
      const headers = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' };
      const preflight = () => fetch(server.url + path, { method: 'OPTIONS', headers });
      for (let i = 0; i < 3; i += 1) expect((await preflight()).status).toBe(204);
      expect((await fetch(server.url + path, { method: 'POST' })).status).not.toBe(429);
    },
  );

  it('does not apply to the key set and the metadata', async () => {
    const server = await start({ config: { tokenRateLimitPerAddress: 1 } });
    await server.requestToken({});
    await expectRateLimited(await server.requestToken({}));
    expect((await fetch(`${server.url}/jwks`)).status).toBe(200);
  });
});

describe('the rate limit of a client', () => {
  it('rejects its requests beyond the limit, but not those of other clients', async () => {
    const server = await start({ config: { tokenRateLimitPerClient: 2 } });
    const [one, other] = [await server.addClient(), await server.addClient()];
    for (let i = 0; i < 2; i += 1)
      expect((await server.requestToken(grant, basic(one.id, one.secret))).status).toBe(200);
    await expectRateLimited(await server.requestToken(grant, basic(one.id, one.secret)));
    expect((await server.requestToken(grant, basic(other.id, other.secret))).status).toBe(200);
  });

  it('cannot be exhausted by callers who only have its id', async () => {
    const server = await start({ config: { tokenRateLimitPerClient: 2 } });
    const { id, secret } = await server.addClient();
    for (let i = 0; i < 5; i += 1)
      expect((await server.requestToken(grant, basic(id, 'wrong'))).status).toBe(401);
    expect((await server.requestToken(grant, basic(id, secret))).status).toBe(200);
  });
});

describe('introspection (RFC 7662) and revocation (RFC 7009)', () => {
  const config = { tokenRateLimitPerClient: 2, tokenRateLimitPerAddress: 2 };
  const ask = (server: TestServer, as: { Authorization: string }, path = '/token/introspection') =>
    fetch(server.url + path, { method: 'POST', headers: as, body: new URLSearchParams({ token: 'any' }) });

  it('have their own limit, separate from token requests', async () => {
    const server = await start({ config });
    const { id, secret } = await server.addClient();
    expect((await ask(server, basic(id, secret))).status).toBe(200);
    expect((await ask(server, basic(id, secret), '/token/revocation')).status).toBe(200);
    await expectRateLimited(await ask(server, basic(id, secret)));
    expect((await server.requestToken(grant, basic(id, secret))).status).toBe(200);
  });

  it('are not limited for a resource server, even while an attacker guesses its secret', async () => {
    const server = await start({ config });
    const request = { type: 'resource-server', name: 'API', scopes: [] } as const;
    const { client, secret } = await server.clients.add(request);
    for (let i = 0; i < 5; i += 1) expect((await ask(server, basic(client.id, secret))).status).toBe(200);
    for (let i = 0; i < 2; i += 1) expect((await ask(server, basic(client.id, 'wrong'))).status).toBe(401);
    await expectRateLimited(await ask(server, basic(client.id, 'wrong')));
    expect((await server.requestToken({})).status).toBe(400);
  });
});

describeWith('redis', 'limits shared through Redis', () => {
  const config = { tokenRateLimitPerClient: 4 };

  /** Starts two servers on one database and one Redis, and returns a timed token request of one client. */
  async function startPair(commandTimeout?: number) {
    const redisServer = await startRedis();
    onTestFinished(() => redisServer.stop());
    const storage = await openTestStorage();
    const servers = await Promise.all(
      [0, 1].map(async () =>
        startOn(storage, { config, redis: await connect(redisServer.url, commandTimeout) }),
      ),
    );
    const { id, secret } = await firstOf(servers).addClient();
    const ask = async (server: TestServer) => {
      const startedAt = performance.now();
      const { status } = await server.requestToken(grant, basic(id, secret));
      return { status, tookMs: performance.now() - startedAt };
    };
    return { redisServer, servers, ask };
  }

  async function connect(url: string, commandTimeout?: number) {
    const redis = openRedis(url);
    if (commandTimeout !== undefined) redis.client.options.commandTimeout = commandTimeout;
    onTestFinished(() => redis.close());
    await expect.poll(() => redis.isUsable()).toBe(true);
    return redis;
  }

  it('count the requests of two processes together', async () => {
    const { servers, ask } = await startPair(10_000); // a late response on a busy machine is not an outage here
    const answers = await Promise.all(Array.from({ length: 5 }, () => servers.map(ask)).flat());
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(6);
  });

  // Retried, because a busy machine also causes delays.
  it.each(['freeze', 'kill'] as const)(
    'delay no request by 300 ms after a %s of Redis',
    {
      retry: 4,
    },
    async (outage) => {
      const { redisServer, servers, ask } = await startPair();
      const server = firstOf(servers);
      const usual = await ask(server);
      await redisServer[outage]();
      for (let i = 0; i < 3; i += 1) {
        const { status, tookMs } = await ask(server);
        expect(status).toBe(200);
        expect(tookMs - usual.tookMs).toBeLessThan(300);
      }
    },
  );
});

function firstOf<T>([first]: readonly T[]): T {
  if (first === undefined) throw new Error('The list is empty.');
  return first;
}

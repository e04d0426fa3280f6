import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { describeWith } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../storage/open-storage.ts';
import { createMongoDatabase, createSqliteDatabase } from '../storage/test-database.fixture.ts';
import { basic, startTestServer, type TestServer } from './test-server.fixture.ts';

const FIRST_PAGE_BYTES = 4096;
const grant = { grant_type: 'client_credentials' };

/** Starts a server on its own database, which `breakDatabase` breaks permanently. */
type Breakable = () => Promise<{ server: TestServer; breakDatabase(): void | Promise<void> }>;

function faultSuite(start: Breakable): void {
  it('answers 503 without internal details while the database is broken', async () => {
    const { server, breakDatabase } = await start();
    const { id, secret } = await server.addClient();
    expect((await server.requestToken(grant, basic(id, secret))).status).toBe(200);
    await breakDatabase();
    const response = await server.requestToken(grant, basic(id, secret));
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const body = (await response.json()) as Record<string, unknown>;
    expect(body).toEqual({ error: 'temporarily_unavailable', error_description: expect.any(String) });
    expect(String(body.error_description)).not.toMatch(/clients|table|127\.0\.0\.1|ECONN/);
  });

  it('answers browsers with an error page and Retry-After', async () => {
    const { server, breakDatabase } = await start();
    await breakDatabase();
    const headers = { Accept: 'text/html' };
    const page = await fetch(`${server.url}/auth?client_id=x&response_type=code`, { headers });
    expect(await page.text()).toMatch(/^<!doctype html>/);
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '1']);
  });

  it('logs the failure with its stack under the request id', async () => {
    const { server, breakDatabase } = await start();
    const { id, secret } = await server.addClient();
    await breakDatabase();
    const response = await server.requestToken(grant, basic(id, secret));
    const requestId = response.headers.get('x-request-id');
    const line = server.lines().find(({ level, request_id }) => level === 50 && request_id === requestId);
    expect(line).toMatchObject({ err: { stack: expect.stringContaining('caused by') } });
  });
}

describe('a broken SQLite file', () => {
  faultSuite(async () => {
    const database = await createSqliteDatabase();
    const storage = await openStorage(database.location);
    const server = await startTestServer(storage);
    onTestFinished(async () => {
      await server.stop();
      await storage.close();
      await database.drop();
    });
    return {
      server,
      // Simulates a bad disk: overwrites every page except the first. The checkpoint invalidates cached pages.
      breakDatabase() {
        const path = database.location.url.slice('sqlite:'.length);
        const db = new DatabaseSync(path);
        db.exec('UPDATE clients SET version = version; PRAGMA wal_checkpoint(TRUNCATE)');
        db.close();
        const { size } = statSync(path);
        const file = openSync(path, 'r+');
        writeSync(file, randomBytes(size - FIRST_PAGE_BYTES), 0, size - FIRST_PAGE_BYTES, FIRST_PAGE_BYTES);
        closeSync(file);
      },
    };
  });
});

describeWith('mongodb', 'an unreachable MongoDB', (url) => {
  faultSuite(async () => {
    const database = await createMongoDatabase(url);
    const proxy = await startProxy(new URL(url));
    const storage = await openStorage({ ...database.location, url: `${proxy.url}/?directConnection=true` });
    const server = await startTestServer(storage);
    onTestFinished(async () => {
      await server.stop();
      await storage.close();
      proxy.cut();
      await database.drop();
    });
    return { server, breakDatabase: proxy.cut };
  });
});

/** A TCP proxy in front of a server. */
async function startProxy(target: URL): Promise<{ url: string; cut(): void }> {
  const sockets = new Set<Socket>();
  const proxy = createServer((inner) => {
    const outer = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.pipe(to);
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `mongodb://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cut() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe('a server that may have missed a key rotation', () => {
  it('signs nothing until it has reloaded the keys, because verifiers may have dropped its key (RFC 7517 §5)', async () => {
    const database = await createSqliteDatabase();
    const storage = await openStorage(database.location);
    const { keys } = storage;
    let reading = Promise.withResolvers<void>();
    reading.resolve();
    const load: typeof keys.load = () => reading.promise.then(keys.load);
    const server = await startTestServer(
      { ...storage, keys: { ...keys, load } },
      { config: { keyPollSeconds: 1 } },
    );
    onTestFinished(async () => {
      await server.stop();
      await storage.close();
      await database.drop();
    });
    const { id, secret } = await server.addClient();
    const requestToken = () => server.requestToken(grant, basic(id, secret));
    expect((await requestToken()).status).toBe(200);
    reading = Promise.withResolvers();
    server.time.ahead = 60_000;
    const rejected = await requestToken();
    reading.resolve();
    expect(rejected.status).toBe(503);
    expect(rejected.headers.get('retry-after')).toBe('1');
    expect(await rejected.json()).toMatchObject({ error: 'temporarily_unavailable' });
    await expect.poll(async () => (await requestToken()).status).toBe(200);
  });
});

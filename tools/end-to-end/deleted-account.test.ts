import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeWith, findFreePort } from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStorage } from '../../apps/auth/src/storage/open-storage.ts';
import type { Storage } from '../../apps/auth/src/storage/storage.ts';
import {
  type TestDatabase as AuthDatabase,
  createMongoDatabase as createAuthMongo,
  createSqliteDatabase as createAuthSqlite,
} from '../../apps/auth/src/storage/test-database.fixture.ts';
import { obtainTokens, startJourney } from '../../apps/auth/src/tests/people.fixture.ts';
import { startTestServer, type TestServer } from '../../apps/auth/src/tests/test-server.fixture.ts';
import {
  type TestDatabase as ApiDatabase,
  createMongoDatabase as createApiMongo,
  createSqliteDatabase as createApiSqlite,
} from '../../apps/tickets-api/src/storage/test-database.fixture.ts';
import { type ServerProcess, startServer } from '../bench/processes.ts';

const PATIENT = { timeout: 60_000 };
/** Longer than the last access token of a deleted account is valid. */
const TOKEN_LIFETIME_MS = 1_000_000;

interface World {
  server: TestServer;
  storage: Storage;
  proxy: Proxy;
  startApi(): Promise<ServerProcess>;
  /** Kills a process of the API. */
  kill(api: ServerProcess): void;
}

interface Databases {
  auth: AuthDatabase;
  api: ApiDatabase;
}

/** A proxy in front of `/security-events` that can intercept acknowledgements. */
interface Proxy {
  url: string;
  /** Called instead of forwarding a poll that acknowledges an event; the poll gets no response. */
  onAcknowledgement: (() => void) | undefined;
  close(): void;
}

async function startProxy(upstream: string): Promise<Proxy> {
  const server: Server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { ack } = JSON.parse(body) as { ack: string[] };
    if (ack.length > 0 && proxy.onAcknowledgement) return proxy.onAcknowledgement();
    const headers = {
      Authorization: String(request.headers.authorization),
      'Content-Type': 'application/json',
    };
    const forwarded = fetch(`${upstream}/security-events`, { method: 'POST', headers, body });
    // The authorization server may stop first.
    const answer = await forwarded.catch(() => Response.json({}, { status: 502 }));
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: Proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    onAcknowledgement: undefined,
    close: () => server.close().closeAllConnections(),
  };
  return proxy;
}

function useWorld(createDatabases: () => Promise<Databases>): World {
  const world: Partial<World> = {};
  const ends: (() => unknown)[] = [];
  const apis = new Set<ServerProcess>();

  beforeAll(async () => {
    const port = await findFreePort();
    const apiAudience = `http://127.0.0.1:${port}`;
    const databases = await createDatabases();
    const storage = await openStorage(databases.auth.location);
    const server = await startTestServer(storage, { config: { apiAudience, keyPollSeconds: 1 } });
    const proxy = await startProxy(server.url);
    const receiver = await server.addClient({ type: 'resource-server', role: null, scopes: [] });
    Object.assign(world, {
      server,
      storage,
      proxy,
      async startApi() {
        const api = await startServer('apps/tickets-api/src/main.ts', port, {
          ISSUER: server.url,
          BASE_URL: apiAudience,
          API_PORT: String(port),
          STORAGE_URL: databases.api.storageUrl,
          SECURITY_EVENTS_URL: `${proxy.url}/security-events`,
          SECURITY_EVENTS_CLIENT_ID: receiver.id,
          SECURITY_EVENTS_CLIENT_SECRET: String(receiver.secret),
        });
        apis.add(api);
        return api;
      },
      kill(api) {
        apis.delete(api);
        process.kill(api.pid, 'SIGKILL');
      },
    } satisfies World);
    ends.push(...[proxy.close, server.stop, storage.close, databases.auth.drop, databases.api.drop]);
  });
  afterAll(async () => {
    for (const api of apis) await api.stop();
    for (const end of ends) await end();
  });
  return world as World;
}

/** Adds a ticket as a new customer, deletes their account, and lets the last access token expire. */
async function deleteCustomer({ server }: World, api: ServerProcess) {
  const journey = await startJourney(server, { role: 'customer' });
  const tokens = await obtainTokens(journey, { scope: 'openid email tickets:read tickets:write' });
  const response = await fetch(`${api.url}/tickets.json`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tokens.access_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ subject: `I am ${journey.email}` }),
  });
  expect(response.status).toBe(201);
  const { id } = (await response.json()) as { id: string };
  const account = await server.accounts.findByEmail(journey.email);
  await server.accounts.remove(String(account?.id), { address: 'cli', actor: 'operator' });
  server.time.ahead += TOKEN_LIFETIME_MS;
  return { ticket: id, email: journey.email };
}

/** Returns the ticket as staff see it. */
async function readTicket({ server }: World, api: ServerProcess, id: string) {
  const agent = await server.addClient();
  server.time.ahead = 0;
  const request = { grant_type: 'client_credentials', scope: 'tickets:read' };
  const credentials = Buffer.from(`${agent.id}:${agent.secret}`).toString('base64');
  const answer = await server.requestToken(request, { Authorization: `Basic ${credentials}` });
  const { access_token } = (await answer.json()) as { access_token: string };
  const headers = { Authorization: `Bearer ${access_token}` };
  return (await fetch(`${api.url}/ticket/${id}.json`, { headers })).json();
}

const countPending = async ({ storage }: World) => (await storage.securityEvents.list({ limit: 10 })).length;

function deletions(createDatabases: () => Promise<Databases>): void {
  const world = useWorld(createDatabases);

  test('the helpdesk erases the person of a deleted account', async () => {
    const api = await world.startApi();
    const { ticket, email } = await deleteCustomer(world, api);
    expect(await countPending(world)).toBe(1);
    await expect.poll(() => countPending(world), PATIENT).toBe(0);
    const erased = await readTicket(world, api, ticket);
    expect(erased).toMatchObject({ subject: 'I am [erased]', requester: { name: null } });
    expect(JSON.stringify(erased)).not.toContain(email);
    await api.stop();
  });

  test('an API that was down, and one that is killed before it acknowledges, loses no event', async () => {
    const before = await world.startApi();
    const { ticket } = await deleteCustomer(world, before);
    await before.stop();
    const killed = await world.startApi();
    const intercepted = new Promise<void>((resolve) => {
      world.proxy.onAcknowledgement = () => {
        world.kill(killed);
        resolve();
      };
    });
    await intercepted;
    world.proxy.onAcknowledgement = undefined;
    expect(await countPending(world)).toBe(1);
    const api = await world.startApi();
    await expect.poll(() => countPending(world), PATIENT).toBe(0);
    expect(await readTicket(world, api, ticket)).toMatchObject({ subject: 'I am [erased]' });
    await api.stop();
  });
}

describe('the deletion of an account reaches the helpdesk (RFC 8936 §2.4, OpenID RISC Profile 1.0 §2.2)', () => {
  describe('on SQLite', () =>
    deletions(async () => ({ auth: await createAuthSqlite(), api: await createApiSqlite() })));
  describeWith('mongodb', 'on MongoDB', (url) =>
    deletions(async () => ({ auth: await createAuthMongo(url), api: await createApiMongo(url) })),
  );
});

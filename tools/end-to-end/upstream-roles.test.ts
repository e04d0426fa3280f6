import { randomUUID } from 'node:crypto';
import { describeWith, findFreePort, useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { openStorage } from '../../apps/auth/src/storage/open-storage.ts';
import {
  createMongoDatabase as createAuthMongo,
  createSqliteDatabase as createAuthSqlite,
  type TestDatabase,
} from '../../apps/auth/src/storage/test-database.fixture.ts';
import { createBrowser } from '../../apps/auth/src/tests/browser.fixture.ts';
import {
  createRequest,
  type Journey,
  redeem,
  startJourney,
} from '../../apps/auth/src/tests/people.fixture.ts';
import { startTestServer } from '../../apps/auth/src/tests/test-server.fixture.ts';
import { startHostileProvider } from '../../apps/auth/src/web/upstream/hostile-provider.fixture.ts';
import { newAddress, newUser, trusted } from '../../apps/auth/src/web/upstream/upstream-server.fixture.ts';
import {
  createMongoDatabase as createApiMongo,
  createSqliteDatabase as createApiSqlite,
} from '../../apps/tickets-api/src/storage/test-database.fixture.ts';
import { startServer } from '../bench/processes.ts';

const SCOPE = 'openid email offline_access tickets:read tickets:write';

interface Databases {
  auth: TestDatabase;
  api: Awaited<ReturnType<typeof createApiSqlite>>;
}

/** Starts both programs, and a provider that assigns roles. */
async function startWorld({ auth, api: apiDatabase }: Databases) {
  const port = await findFreePort();
  const apiAudience = `http://127.0.0.1:${port}`;
  const upstream = await startHostileProvider();
  const values = { 'helpdesk-agent': 'agent', 'helpdesk-admin': 'admin' } as const;
  const roles = { claim: ['realm_access', 'roles'], values };
  const identityProviders = [upstream.toProvider({ trustedDomains: [trusted], roles })];
  const storage = await openStorage(auth.location);
  const server = await startTestServer(storage, { config: { apiAudience, identityProviders } });
  const api = await startServer('apps/tickets-api/src/main.ts', port, {
    ISSUER: server.url,
    BASE_URL: apiAudience,
    API_PORT: String(port),
    STORAGE_URL: apiDatabase.storageUrl,
  });
  return {
    upstream,
    server,
    api,
    storage,
    async stop() {
      await api.stop();
      await server.stop();
      await upstream.stop();
      await storage.close();
      await auth.drop();
      await apiDatabase.drop();
    },
  };
}

function roleSuites(createDatabases: () => Promise<Databases>): void {
  const world = useStarted(async () => startWorld(await createDatabases()));

  /** Signs the user of the provider in for an application; resolves with its tokens. */
  async function signIn(
    journey: Journey,
    roles: readonly string[] | undefined,
    user = newUser(newAddress()),
  ) {
    world.upstream.user = { ...user, ...(roles && { realm_access: { roles } }) };
    const browser = createBrowser(world.server.url);
    const request = await createRequest(journey, { idp_hint: 'acme', scope: SCOPE });
    const left = await browser.open(request.url);
    const consent = await browser.open(await world.upstream.authorize(left.url));
    const { url } = await browser.submit(consent, 'consent', { decision: 'allow' });
    return redeem(journey, request, url);
  }

  async function call(token: string, path: string, method = 'GET', body?: object): Promise<Response> {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    return fetch(world.api.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }

  /** Returns the path of a new ticket of another user, who has no role at the provider. */
  async function addTicket(journey: Journey): Promise<string> {
    const { access_token: token } = await signIn(journey, undefined);
    const created = await call(token, '/tickets.json', 'POST', { subject: `Printer ${randomUUID()}` });
    expect(created.status).toBe(201);
    return `/ticket/${((await created.json()) as { id: string }).id}.json`;
  }

  it('a role claim makes an agent, with the rights of one at the API', async () => {
    const journey = await startJourney(world.server);
    const path = await addTicket(journey);
    const statuses = [];
    for (const roles of [
      ['helpdesk-agent'],
      ['helpdesk-agent', 'helpdesk-admin'],
      ['other'],
      [],
      undefined,
    ]) {
      const { access_token: token } = await signIn(journey, roles);
      statuses.push((await call(token, path)).status);
    }
    expect(statuses).toEqual([200, 200, 404, 404, 404]);
  });

  it('a role that the provider removed is lost at the next sign-in, including for earlier applications', async () => {
    const journey = await startJourney(world.server);
    const path = await addTicket(journey);
    const user = newUser(newAddress());
    const before = await signIn(journey, ['helpdesk-agent'], user);
    expect((await call(before.access_token, path)).status).toBe(200);
    const after = await signIn(journey, ['other'], user);
    expect((await call(after.access_token, path)).status).toBe(404);
    const refreshed = await refresh(journey, before.refresh_token);
    expect((await call(refreshed, path)).status).toBe(404);
    const again = await signIn(journey, ['helpdesk-agent'], user);
    expect((await call(again.access_token, path)).status).toBe(200);
  });

  it('a role that an operator gave is replaced by that of the provider, which is recorded', async () => {
    const journey = await startJourney(world.server);
    const user = newUser(newAddress());
    await signIn(journey, ['helpdesk-agent'], user);
    const account = await world.server.accounts.findByEmail(user.email ?? '');
    await world.server.accounts.setRole(account?.id ?? '', 'admin', { address: 'cli' });
    await signIn(journey, ['helpdesk-agent'], user);
    expect(await world.server.accounts.get(account?.id ?? '')).toMatchObject({ role: 'agent' });
    const types = ['account.role_changed'] as const;
    const [last] = await world.storage.audit.list({ accountId: account?.id, types, limit: 1 });
    expect(last?.details).toEqual({ from: 'admin', to: 'agent', provider: 'acme' });
  });
}

async function refresh({ application }: Journey, token = ''): Promise<string> {
  return (await oauth.refreshTokenGrant(application, token)).access_token;
}

const guarantee = 'the role of a user of an identity provider, from its sign-in to the API';

describe(`${guarantee}, on SQLite`, () =>
  roleSuites(async () => ({ auth: await createAuthSqlite(), api: await createApiSqlite() })));
describeWith('mongodb', `${guarantee}, on MongoDB`, (url) =>
  roleSuites(async () => ({ auth: await createAuthMongo(url), api: await createApiMongo(url) })),
);

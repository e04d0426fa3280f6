import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith, findFreePort } from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openStorage } from '../../apps/auth/src/storage/open-storage.ts';
import {
  type TestDatabase as AuthDatabase,
  createMongoDatabase as createAuthMongo,
  createSqliteDatabase as createAuthSqlite,
} from '../../apps/auth/src/storage/test-database.fixture.ts';
import {
  authorize,
  createRequest,
  type Journey,
  obtainTokens,
  redeem,
  startJourney,
} from '../../apps/auth/src/tests/people.fixture.ts';
import { basic, startTestServer, type TestServer } from '../../apps/auth/src/tests/test-server.fixture.ts';
import {
  type TestDatabase as ApiDatabase,
  createMongoDatabase as createApiMongo,
  createSqliteDatabase as createApiSqlite,
} from '../../apps/tickets-api/src/storage/test-database.fixture.ts';
import { type ServerProcess, startServer } from '../bench/processes.ts';

const PATIENT = { timeout: 30_000, interval: 50 };
const operator = { address: 'cli', actor: 'operator' };

interface Databases {
  auth: AuthDatabase;
  api: ApiDatabase;
}

interface World {
  server: TestServer;
  /** Starts the authorization server again, at the same address. */
  restart(): Promise<void>;
  /** Two processes of the API on one database. */
  apis: readonly ServerProcess[];
}

function useWorld(createDatabases: () => Promise<Databases>): World {
  const world = {} as World;
  const ends: (() => unknown)[] = [];

  beforeAll(async () => {
    const [authPort, ...apiPorts] = [await findFreePort(), await findFreePort(), await findFreePort()];
    const issuer = `http://127.0.0.1:${authPort}`;
    const apiAudience = `http://127.0.0.1:${apiPorts[0]}`;
    const { auth, api } = await createDatabases();
    const storage = await openStorage(auth.location);
    const config = { apiAudience, issuer, refreshReplaySeconds: 0 };
    const start = () => startTestServer(storage, { port: authPort, config });
    world.server = await start();
    world.restart = async () => {
      world.server = await start();
    };
    world.apis = await Promise.all(
      apiPorts.map((port) =>
        startServer('apps/tickets-api/src/main.ts', port, {
          ISSUER: issuer,
          BASE_URL: apiAudience,
          API_PORT: String(port),
          STORAGE_URL: api.storageUrl,
        }),
      ),
    );
    ends.push(
      ...world.apis.map(({ stop }) => stop),
      () => world.server.stop(),
      storage.close,
      auth.drop,
      api.drop,
    );
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return world;
}

function revocations(createDatabases: () => Promise<Databases>): void {
  const world = useWorld(createDatabases);

  /** Returns the statuses of a request with the token to every API process. */
  const statusesOf = (token: string) =>
    Promise.all(
      world.apis.map(async ({ url }) => {
        const headers = { Authorization: `Bearer ${token}` };
        const response = await fetch(`${url}/tickets.json?limit=1`, { headers });
        await response.arrayBuffer();
        return response.status;
      }),
    );
  /** Waits until the API answers the token so. Concurrent tests have no `expect.poll`. */
  const waitForAnswers = (token: string, expected: readonly number[]) =>
    vi.waitFor(async () => expect(await statusesOf(token)).toEqual(expected), PATIENT);
  const introspect = async ({ clientId, clientSecret }: Journey, token: string) => {
    const response = await fetch(`${world.server.url}/token/introspection`, {
      method: 'POST',
      headers: basic(clientId, clientSecret),
      body: new URLSearchParams({ token }),
    });
    return ((await response.json()) as { active?: boolean }).active;
  };
  const refresh = (journey: Journey, token: string) =>
    world.server.requestToken(
      { grant_type: 'refresh_token', refresh_token: token },
      basic(journey.clientId, journey.clientSecret),
    );

  test.concurrent.each<[string, (journey: Journey, tokens: { refresh_token: string }) => Promise<unknown>]>([
    [
      'the client revokes the refresh token',
      ({ clientId, clientSecret }, { refresh_token: token }) =>
        fetch(`${world.server.url}/token/revocation`, {
          method: 'POST',
          headers: basic(clientId, clientSecret),
          body: new URLSearchParams({ token }),
        }),
    ],
    [
      'the session is ended',
      async ({ accountId }) => {
        const [session] = await world.server.accounts.listSessions(accountId);
        await world.server.accounts.endSession({ accountId, sessionId: String(session?.id) }, operator);
      },
    ],
    [
      'the user is signed out everywhere',
      ({ accountId }) => world.server.accounts.signOutEverywhere(accountId, operator),
    ],
    ['the account is disabled', ({ accountId }) => world.server.accounts.disable(accountId, operator)],
    ['the account is removed', ({ accountId }) => world.server.accounts.remove(accountId, operator)],
    ['the client is disabled', ({ clientId }) => world.server.clients.setStatus(clientId, 'disabled')],
    ['the client is removed', ({ clientId }) => world.server.clients.remove(clientId)],
    [
      'the refresh token is used again',
      async (journey, { refresh_token }) => {
        await refresh(journey, refresh_token);
        await refresh(journey, refresh_token);
      },
    ],
  ])('a token is refused by every process of the API when %s', async (_, revoke) => {
    const journey = await startJourney(world.server);
    const { access_token, refresh_token } = await obtainTokens(journey);
    const { access_token: other } = await obtainTokens(await startJourney(world.server));
    expect(await statusesOf(access_token)).toEqual([200, 200]);
    expect(await introspect(journey, access_token)).toBe(true);
    await revoke(journey, { refresh_token: String(refresh_token) });
    expect(await introspect(journey, access_token)).not.toBe(true);
    await waitForAnswers(access_token, [401, 401]);
    expect(await statusesOf(other)).toEqual([200, 200]);
  });

  test.concurrent('a token is refused when its code is redeemed again after a second (FAPI 2.0, RFC 6749 §4.1.2)', async () => {
    const journey = await startJourney(world.server);
    const request = await createRequest(journey);
    const callback = await authorize(journey, request);
    const { access_token } = await redeem(journey, request, callback);
    expect(await statusesOf(access_token)).toEqual([200, 200]);
    await sleep(1_000);
    await expect(redeem(journey, request, callback)).rejects.toMatchObject({ error: 'invalid_grant' });
    await waitForAnswers(access_token, [401, 401]);
  });

  test.concurrent('a token of a machine is refused while its client is disabled', async () => {
    const { id, secret } = await world.server.addClient();
    const form = { grant_type: 'client_credentials', scope: 'tickets:read' };
    const answer = await world.server.requestToken(form, basic(id, secret));
    const { access_token } = (await answer.json()) as { access_token: string };
    expect(await statusesOf(access_token)).toEqual([200, 200]);
    await world.server.clients.setStatus(id, 'disabled');
    await waitForAnswers(access_token, [401, 401]);
    await world.server.clients.setStatus(id, 'active');
    await waitForAnswers(access_token, [200, 200]);
  });

  /** Opens a stream of changes and a wait for one with the token at every API process. */
  async function follow(token: string) {
    const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
    const streams = await Promise.all(
      world.apis.map(({ url }) => fetch(`${url}/changes?since=now`, { headers })),
    );
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    const waits = world.apis.map(async ({ url }) => {
      const wait = await fetch(`${url}/changes.json?since=now&wait=60`, {
        headers: { ...headers, Accept: 'application/json' },
      });
      return ((await wait.json()) as { changes: unknown }).changes;
    });
    const ended = Promise.all([...streams.map((stream) => stream.text()), ...waits]);
    const state = { isOpen: true, ended };
    void ended.finally(() => Object.assign(state, { isOpen: false }));
    return state;
  }
  const closed = [
    expect.stringContaining('{"reason":"token_revoked"}'),
    expect.stringContaining('{"reason":"token_revoked"}'),
    [],
    [],
  ];

  test.concurrent('open streams and waits of a revoked token end, and those of other tokens continue', async () => {
    const [journey, another] = [await startJourney(world.server), await startJourney(world.server)];
    const [tokens, others] = [await obtainTokens(journey), await obtainTokens(another)];
    const [revoked, kept] = [await follow(tokens.access_token), await follow(others.access_token)];
    await world.server.accounts.signOutEverywhere(journey.accountId, operator);
    expect(await revoked.ended).toEqual(closed);
    expect(await statusesOf(tokens.access_token)).toEqual([401, 401]);
    expect(kept.isOpen).toBe(true);
    await world.server.clients.setStatus(another.clientId, 'disabled');
    expect(await kept.ended).toEqual(closed);
  });

  test('the API continues while the authorization server is down, and gets the missed revocations afterwards', async () => {
    const [kept, revoked] = [await startJourney(world.server), await startJourney(world.server)];
    const [good, bad] = [await obtainTokens(kept), await obtainTokens(revoked)];
    expect(await statusesOf(good.access_token)).toEqual([200, 200]);
    const [open, toEnd] = [await follow(good.access_token), await follow(bad.access_token)];
    const { accounts } = world.server;
    await world.server.stop();
    await accounts.disable(revoked.accountId, operator);
    expect(await statusesOf(good.access_token)).toEqual([200, 200]);
    const readyz = await fetch(`${world.apis[0]?.url}/readyz`);
    expect(readyz.status).toBe(200);
    expect(toEnd.isOpen).toBe(true);
    expect(await readyz.json()).toEqual({
      status: 'ok',
      token_status_list_age_seconds: expect.any(Number),
    });
    await world.restart();
    expect(await toEnd.ended).toEqual(closed);
    await waitForAnswers(bad.access_token, [401, 401]);
    expect(await statusesOf(good.access_token)).toEqual([200, 200]);
    expect(open.isOpen).toBe(true);
    await world.server.accounts.disable(kept.accountId, operator);
    expect(await open.ended).toEqual(closed);
  });
}

describe('the API refuses revoked access tokens (Token Status List §8.3)', () => {
  describe('on SQLite', () =>
    revocations(async () => ({ auth: await createAuthSqlite(), api: await createApiSqlite() })));
  describeWith('mongodb', 'on MongoDB', (url) =>
    revocations(async () => ({ auth: await createAuthMongo(url), api: await createApiMongo(url) })),
  );
});

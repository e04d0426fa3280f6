import { inflateSync } from 'node:zlib';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { onEveryEngine, type UsedStorage, useStorage } from '../storage/engines.fixture.ts';
import {
  authorize,
  createRequest,
  type Journey,
  obtainTokens,
  redeem,
  startJourney,
} from '../tests/people.fixture.ts';
import { basic, startTestServer, type TestServer } from '../tests/test-server.fixture.ts';
import { CHECK_INTERVAL_MS } from './status-list-publisher.ts';

const TYPE = 'application/statuslist+jwt';
/** Level of pino. */
const DEBUG = 20;
const SEVENTEEN_MINUTES_MS = 1_020_000;
const PATIENT = { timeout: 20_000, interval: CHECK_INTERVAL_MS / 2 };
const operator = { address: 'cli', actor: 'operator' };

interface StatusClaim {
  status_list: { idx: number; uri: string };
}

let server: TestServer;
const get = (path = '/token-status-list', headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers });

async function readList(response?: Response) {
  const { payload } = await jwtVerify(
    await (response ?? (await get())).text(),
    createRemoteJWKSet(new URL(`${server.url}/jwks`)),
    { typ: 'statuslist+jwt', algorithms: ['ES256'], clockTolerance: SEVENTEEN_MINUTES_MS },
  );
  const { bits, lst } = payload.status_list as { bits: number; lst: string };
  return { ...payload, bits, bytes: inflateSync(Buffer.from(lst, 'base64url')) };
}

const statusOf = (token: string) => (decodeJwt(token).status as StatusClaim).status_list;

/** Reads a status as described in §4.1. */
async function readStatus(token: string): Promise<number> {
  const { idx } = statusOf(token);
  return ((Number((await readList()).bytes[Math.floor(idx / 8)]) >> (idx % 8)) & 1) as number;
}

async function requestMachineToken(
  client: { id: string; secret: string | null },
  { requestToken } = server,
): Promise<string> {
  const form = { grant_type: 'client_credentials', scope: 'tickets:read' };
  const answer = await requestToken(form, basic(client.id, client.secret));
  return ((await answer.json()) as { access_token: string }).access_token;
}

function suites(storage: UsedStorage): void {
  beforeAll(async () => {
    server = await startTestServer(storage.get(), { config: { refreshReplaySeconds: 0 } });
  });
  afterAll(() => server.stop());

  describe('the token status list (Token Status List §5.1, §8.2)', () => {
    it('is a signed and explicitly typed token about its own URI, without any person in it', async () => {
      const response = await get('/token-status-list', { Accept: TYPE });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe(TYPE);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      const { bytes, iat, exp, ...list } = await readList(response);
      expect(list).toEqual({
        iss: server.url,
        sub: `${server.url}/token-status-list`,
        ttl: 1,
        bits: 1,
        status_list: { bits: 1, lst: expect.any(String) },
      });
      expect(Number(exp) - Number(iat)).toBe(300);
      expect(bytes).toHaveLength(2 ** 14);
    });

    it('is revalidated by every cache, and not sent again while it is unchanged (RFC 9110 §13.1.2)', async () => {
      const first = await get();
      expect(first.headers.get('cache-control')).toBe('public, no-cache');
      await expect
        .poll(async () => {
          const response = await get(undefined, {
            'If-None-Match': String((await get()).headers.get('etag')),
          });
          return [response.status, await response.text()];
        }, PATIENT)
        .toEqual([304, '']);
    });

    it('is sent to a waiting client as soon as a token is revoked (RFC 7240 §4.3)', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey);
      const tagOf = async () => String((await get()).headers.get('etag'));
      const wait = async () => get(undefined, { 'If-None-Match': await tagOf(), Prefer: 'wait=10' });
      // An unchanged list is also signed again periodically.
      await vi.waitFor(async () => {
        const waiting = wait();
        await server.accounts.signOutEverywhere(journey.accountId, operator);
        const response = await waiting;
        expect([response.status, response.headers.get('preference-applied')]).toEqual([200, 'wait=10']);
      }, PATIENT);
      const early = get(undefined, { 'If-None-Match': '"another"', Prefer: 'wait=10' });
      expect((await early).headers.get('preference-applied')).toBeNull();
      expect((await get(undefined, { Prefer: 'wait=10' })).headers.get('preference-applied')).toBeNull();
    });

    it('is not sent after the time that a client waits', async () => {
      await vi.waitFor(async () => {
        const etag = String((await get()).headers.get('etag'));
        const response = await get(undefined, { 'If-None-Match': etag, Prefer: 'respond-async, wait=1' });
        expect([response.status, response.headers.get('preference-applied')]).toEqual([304, 'wait=1']);
      }, PATIENT);
    });

    it('has the same claims and entity tag in every process', async () => {
      const another = await startTestServer(storage.get(), { config: { issuer: server.url } });
      const read = async ({ url }: { url: string }) => {
        const response = await fetch(`${url}/token-status-list`);
        return [response.headers.get('etag'), decodeJwt(await response.text())];
      };
      await expect
        .poll(async () => {
          // Every process signs anew at the same times.
          const [one, two] = [await read(server), await read(another)];
          return JSON.stringify(one) === JSON.stringify(two);
        }, PATIENT)
        .toBe(true);
      await another.stop();
    });

    it('is logged at each poll only at debug level', async () => {
      const before = server.lines().length;
      await get();
      const added = server.lines().slice(before);
      expect(added.filter(({ level }) => Number(level) > DEBUG)).toEqual([]);
    });

    it.each([
      ['a past list', '/token-status-list?time=1686925000', {}, 501],
      ['another format', '/token-status-list', { Accept: 'application/statuslist+cwt' }, 406],
    ])('refuses %s (§8.1, §8.4)', async (_, path, headers, status) => {
      expect((await get(path, headers)).status).toBe(status);
    });

    it('is found by the metadata (§9.1)', async () => {
      const metadata = await (await get('/.well-known/oauth-authorization-server')).json();
      const { status_list_aggregation_endpoint: endpoint } = metadata as Record<string, string>;
      const lists = await (await fetch(String(endpoint))).json();
      expect(lists).toEqual({ status_lists: [`${server.url}/token-status-list`] });
    });
  });

  describe('the status of an access token (Token Status List §6.2, §7.1)', () => {
    const refresh = (journey: Journey, refresh_token: string) =>
      server.requestToken(
        { grant_type: 'refresh_token', refresh_token },
        basic(journey.clientId, journey.clientSecret),
      );
    const revokeAtEndpoint = ({ clientId, clientSecret }: Journey, token: string) =>
      fetch(`${server.url}/token/revocation`, {
        method: 'POST',
        headers: basic(clientId, clientSecret),
        body: new URLSearchParams({ token }),
      });
    // Concurrent tests have no `expect.poll`.
    const toBe = (token: string, status: number) =>
      vi.waitFor(async () => expect(await readStatus(token)).toBe(status), PATIENT);

    it('belongs to its grant, and refreshed tokens keep it', async () => {
      const journey = await startJourney(server);
      const { access_token: first, refresh_token } = await obtainTokens(journey);
      expect(statusOf(first)).toEqual({
        idx: expect.any(Number),
        uri: `${server.url}/token-status-list`,
      });
      const answer = await refresh(journey, String(refresh_token));
      const { access_token: second } = (await answer.json()) as { access_token: string };
      expect(statusOf(second)).toEqual(statusOf(first));
      expect(await readStatus(first)).toBe(0);
      const { access_token: other } = await obtainTokens(await startJourney(server));
      expect(statusOf(other).idx).not.toBe(statusOf(first).idx);
    });

    it('belongs to the client if it acts for itself, in every process', async () => {
      const [client, other] = [await server.addClient(), await server.addClient()];
      const another = await startTestServer(storage.get(), { config: { issuer: server.url } });
      const tokens = [
        await requestMachineToken(client),
        await requestMachineToken(client, another),
        await requestMachineToken(client),
      ];
      expect(new Set(tokens.map((token) => statusOf(token).idx)).size).toBe(1);
      expect(statusOf(await requestMachineToken(other)).idx).not.toBe(statusOf(String(tokens[0])).idx);
      await another.stop();
    });

    it.concurrent.each<[string, (journey: Journey, tokens: { refresh_token: string }) => Promise<unknown>]>([
      ['its client revokes the refresh token', (j, { refresh_token }) => revokeAtEndpoint(j, refresh_token)],
      [
        'its session is ended',
        async ({ accountId }) => {
          const [session] = await server.accounts.listSessions(accountId);
          await server.accounts.endSession({ accountId, sessionId: String(session?.id) }, operator);
        },
      ],
      [
        'its user is signed out everywhere',
        ({ accountId }) => server.accounts.signOutEverywhere(accountId, operator),
      ],
      ['its account is disabled', ({ accountId }) => server.accounts.disable(accountId, operator)],
      ['its account is removed', ({ accountId }) => server.accounts.remove(accountId, operator)],
      ['its client is disabled', ({ clientId }) => server.clients.setStatus(clientId, 'disabled')],
      ['its client is removed', ({ clientId }) => server.clients.remove(clientId)],
      [
        'its refresh token is used again',
        async (journey, { refresh_token }) => {
          const next = (await (await refresh(journey, refresh_token)).json()) as { refresh_token: string };
          expect((await refresh(journey, next.refresh_token)).status).toBe(200);
          expect((await refresh(journey, refresh_token)).status).toBe(400);
        },
      ],
    ])('becomes INVALID when %s', async (_, revoke) => {
      const journey = await startJourney(server);
      const { access_token, refresh_token } = await obtainTokens(journey);
      const { access_token: other } = await obtainTokens(await startJourney(server));
      await revoke(journey, { refresh_token: String(refresh_token) });
      await toBe(access_token, 1);
      expect(await readStatus(other)).toBe(0);
    });

    it.concurrent('becomes INVALID when its code is redeemed again (RFC 6749 §4.1.2)', async () => {
      const journey = await startJourney(server);
      const request = await createRequest(journey);
      const callback = await authorize(journey, request);
      const { access_token } = await redeem(journey, request, callback);
      expect(await readStatus(access_token)).toBe(0);
      await expect(redeem(journey, request, callback)).rejects.toMatchObject({ error: 'invalid_grant' });
      await toBe(access_token, 1);
    });

    it.concurrent('is INVALID while its client is disabled, and of a machine too', async () => {
      const client = await server.addClient();
      const token = await requestMachineToken(client);
      await server.clients.setStatus(client.id, 'disabled');
      await toBe(token, 1);
      await server.clients.setStatus(client.id, 'active');
      await toBe(token, 0);
      expect(statusOf(await requestMachineToken(client))).toEqual(statusOf(token));
      await server.clients.remove(client.id);
      await toBe(token, 1);
    });

    it.concurrent('becomes INVALID even if the process is killed before it has revoked the grants', async () => {
      const { artifacts, ...others } = storage.get();
      const revokeAccount = () => Promise.reject(new Error('the process was killed'));
      const dying = await startTestServer({ ...others, artifacts: { ...artifacts, revokeAccount } });
      const journey = await startJourney(server);
      const { access_token } = await obtainTokens(journey);
      await expect(dying.accounts.signOutEverywhere(journey.accountId, operator)).rejects.toThrow('killed');
      await toBe(access_token, 1);
      await dying.stop();
    });

    it('leaves the list when the token has expired', async () => {
      const journey = await startJourney(server);
      const { access_token } = await obtainTokens(journey);
      await server.accounts.disable(journey.accountId, operator);
      await toBe(access_token, 1);
      server.time.ahead = SEVENTEEN_MINUTES_MS;
      await toBe(access_token, 0);
      server.time.ahead = 0;
    });
  });
}

onEveryEngine((engine) => suites(useStorage(engine)));

import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { onEveryEngine, type UsedStorage, useStorage } from '../storage/engines.fixture.ts';
import { basic, startTestServer, type TestServer } from '../tests/test-server.fixture.ts';
import { createSecurityEvents } from './security-events.ts';

const PURGED = 'https://schemas.openid.net/secevent/risc/event-type/account-purged';

let server: TestServer;
let receiver: { id: string; secret: string | null };

/** Adds a resource server, which is the only one that gets the events of a test. */
async function addReceiver() {
  const { id, secret } = await server.addClient({ type: 'resource-server', role: null, scopes: [] });
  return { id, secret };
}

/** Polls as the receiver. */
async function poll(body: unknown, headers: Record<string, string> = basic(receiver.id, receiver.secret)) {
  const response = await fetch(`${server.url}/security-events`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: JSON.parse(text) };
}

const now = { returnImmediately: true };

function suites(storage: UsedStorage): void {
  const send = (accountId = uuidv7(), availableAt?: Date) =>
    createSecurityEvents({
      store: storage.get().securityEvents,
      clients: { listResourceServers: async () => [receiver.id] },
      now: () => new Date(),
      newId: uuidv7,
      retentionDays: 90,
    }).send({ type: 'account-purged', accountId, ...(availableAt && { availableAt }) });

  beforeAll(async () => {
    server = await startTestServer(storage.get());
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    receiver = await addReceiver();
  });

  describe('a security event token (RFC 8417 §2, RFC 9493 §3.2.4, RISC Profile 1.0 §2.2)', () => {
    it('is signed by the issuer, explicitly typed, and names receiver, subject and event', async () => {
      const accountId = uuidv7();
      await send(accountId);
      const { json } = await poll(now);
      const [[jti, token] = []] = Object.entries(json.sets as Record<string, string>);
      const { payload } = await jwtVerify(String(token), createRemoteJWKSet(new URL(`${server.url}/jwks`)), {
        issuer: server.url,
        audience: receiver.id,
        typ: 'secevent+jwt',
        algorithms: ['ES256'],
      });
      expect(payload).toEqual({
        iss: server.url,
        aud: receiver.id,
        jti,
        iat: expect.any(Number),
        toe: expect.any(Number),
        sub_id: { format: 'iss_sub', iss: server.url, sub: accountId },
        events: { [PURGED]: {} },
      });
    });

    it('has no exp and no sub, so that no client takes it for another JWT (§4.5, §4.6)', async () => {
      await send();
      const [token = ''] = Object.values((await poll(now)).json.sets as Record<string, string>);
      expect(decodeJwt(token)).not.toHaveProperty('exp');
      expect(decodeJwt(token)).not.toHaveProperty('sub');
      expect(decodeProtectedHeader(token).kid).toBeDefined();
      const response = await fetch(`${server.url}/me`, { headers: { Authorization: `Bearer ${token}` } });
      expect(response.status).toBe(401);
    });
  });

  describe('polling (RFC 8936 §2)', () => {
    it('returns an event until it is acknowledged (§2.4)', async () => {
      await send();
      const first = await poll(now);
      expect(first.headers.get('cache-control')).toBe('no-store');
      const ids = Object.keys(first.json.sets);
      expect(ids).toHaveLength(1);
      expect(Object.keys((await poll(now)).json.sets)).toEqual(ids);
      expect((await poll({ ...now, ack: ids })).json).toEqual({ sets: {} });
      expect((await poll(now)).json).toEqual({ sets: {} });
    });

    it('returns events in order, at most maxEvents, and says that there are more (§2.2, §2.3)', async () => {
      for (let i = 0; i < 3; i += 1) await send();
      const { json } = await poll({ ...now, maxEvents: 2 });
      const first = Object.keys(json.sets);
      expect(json.moreAvailable).toBe(true);
      const rest = await poll({ ...now, ack: first });
      expect(rest.json).not.toHaveProperty('moreAvailable');
      const all = [...first, ...Object.keys(rest.json.sets)];
      expect(all).toHaveLength(3);
      expect(all).toEqual(all.toSorted());
    });

    it('with maxEvents 0 only acknowledges (§2.4.2)', async () => {
      await send();
      const ids = Object.keys((await poll(now)).json.sets);
      expect((await poll({ maxEvents: 0, ack: ids })).json).toEqual({ sets: {} });
      expect((await poll(now)).json).toEqual({ sets: {} });
    });

    it('waits for an event unless returnImmediately is true (§2.2)', async () => {
      const waiting = poll({});
      await send();
      expect(Object.keys((await waiting).json.sets)).toHaveLength(1);
    });

    it('does not return an event before it is available', async () => {
      await send(uuidv7(), new Date(Date.now() + server.time.ahead + 10_000));
      expect((await poll(now)).json).toEqual({ sets: {} });
      server.time.ahead += 10_000;
      expect(Object.keys((await poll(now)).json.sets)).toHaveLength(1);
    });

    it('does not return a rejected event again, and records it (§2.4.4, RFC 8935 §2.4)', async () => {
      const accountId = uuidv7();
      await send(accountId);
      const [id = ''] = Object.keys((await poll(now)).json.sets);
      const setErrs = { [id]: { err: 'invalid_key', description: 'a secret: hunter2' } };
      expect((await poll({ ...now, setErrs })).json).toEqual({ sets: {} });
      expect((await poll(now)).json).toEqual({ sets: {} });
      const records = await storage.get().audit.list({ accountId, limit: 10 });
      expect(records).toMatchObject([
        {
          type: 'security_event.rejected',
          actor: receiver.id,
          clientId: receiver.id,
          details: { event: 'account-purged', jti: id, error: 'invalid_key' },
        },
      ]);
      expect(server.lines()).toContainEqual(expect.objectContaining({ jti: id, error: 'invalid_key' }));
      expect(server.logged()).not.toContain('hunter2');
    });

    it('records an acknowledgement once', async () => {
      const accountId = uuidv7();
      await send(accountId);
      const ack = Object.keys((await poll(now)).json.sets);
      await Promise.all(Array.from({ length: 5 }, () => poll({ maxEvents: 0, ack })));
      const records = await storage.get().audit.list({ accountId, limit: 10 });
      expect(records.map(({ type }) => type)).toEqual(['security_event.acknowledged']);
    });

    it('never returns or removes the events of another receiver', async () => {
      await send();
      const [own, id] = [receiver, Object.keys((await poll(now)).json.sets)];
      receiver = await addReceiver();
      expect((await poll({ ...now, ack: id })).json).toEqual({ sets: {} });
      receiver = own;
      expect(Object.keys((await poll(now)).json.sets)).toEqual(id);
    });

    it.each([
      ['text', '{'],
      ['an array', []],
      ['a duplicate name', '{"maxEvents":1,"maxEvents":2}'],
      ['a negative number', { maxEvents: -1 }],
      ['ids that are no text', { ack: [1] }],
      ['errors without a code', { setErrs: { a: {} } }],
      ['a flag that is text', { returnImmediately: 'true' }],
    ])('rejects %s as invalid_request', async (_what, body) => {
      const { status, json } = await poll(body);
      expect([status, json]).toEqual([400, { err: 'invalid_request', description: expect.any(String) }]);
    });

    it('rejects another content type and a body that is too large', async () => {
      const form = { ...basic(receiver.id, receiver.secret), 'Content-Type': 'text/plain' };
      expect((await poll('{}', form)).status).toBe(400);
      expect((await poll({ ack: Array(5_000).fill(uuidv7()) })).status).toBe(400);
    });
  });

  describe('the event account-purged (RISC Profile 1.0 §2.2)', () => {
    it('is due for every resource server once no access token of the account is valid', async () => {
      const { id } = await server.addAccount();
      const removedAt = Date.now() + server.time.ahead;
      await server.accounts.remove(id, { address: 'cli', actor: 'operator' });
      const listAfter = (seconds: number) =>
        storage.get().securityEvents.listDue(receiver.id, new Date(removedAt + seconds * 1_000), 10);
      expect(await listAfter(900)).toEqual([]);
      expect(await listAfter(1_200)).toMatchObject([{ type: 'account-purged', accountId: id }]);
    });
  });

  describe('authentication of receivers (RFC 6749 §2.3.1, RFC 8936 §3)', () => {
    const expectRejected = async (headers: Record<string, string>) => {
      const { status, json, ...response } = await poll(now, headers);
      expect([status, json.err]).toEqual([401, 'authentication_failed']);
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic /);
    };

    it('rejects requests without the credentials of a resource server', async () => {
      const machine = await server.addClient();
      await expectRejected({});
      await expectRejected({ Authorization: 'Bearer token' });
      await expectRejected({ Authorization: 'Basic ?' });
      await expectRejected(basic(receiver.id, 'wrong'));
      await expectRejected(basic(receiver.id, machine.secret));
      await expectRejected(basic(uuidv7(), receiver.secret));
      await expectRejected(basic('https://client.example/metadata', receiver.secret));
      await expectRejected(basic(machine.id, machine.secret));
    });

    it('rejects a disabled resource server', async () => {
      await server.clients.setStatus(receiver.id, 'disabled');
      await expectRejected(basic(receiver.id, receiver.secret));
    });
  });
}

onEveryEngine((engine) => suites(useStorage(engine)));

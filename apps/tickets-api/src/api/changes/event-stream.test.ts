import { createMetrics } from '@keydesk/server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSqliteDatabase, type TestDatabase } from '../../storage/test-database.fixture.ts';
import { startApi, type TestApi } from '../../tests/api.fixture.ts';
import { claimsOf, type Send, signIn } from '../people/people.fixture.ts';
import { readChanges, readEvents, type StreamEvent } from './follower.fixture.ts';

let database: TestDatabase;
let api: TestApi;
let agent: Send;
let clients: AbortController;
beforeEach(async () => {
  database = await createSqliteDatabase();
  api = await startApi({ storageUrl: database.storageUrl, heartbeatMs: 200 });
  agent = signIn(api, 'agent', 'grace@example.com');
  clients = new AbortController();
});
afterEach(async () => {
  clients.abort();
  await api.stop();
  await database.drop();
});

/** Opens a stream as an agent, unless the claims override it. */
function open(query = '', headers: Record<string, string> = {}, claims: object = {}): Promise<Response> {
  const token = api.issuer.token({ role: 'agent', ...claims });
  return fetch(`${api.url}/changes${query}`, {
    headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream', ...headers },
    signal: clients.signal,
  });
}

/** Returns the next event that is not a heartbeat. */
async function next(events: AsyncGenerator<StreamEvent | undefined>): Promise<StreamEvent> {
  for (;;) {
    const { value, done } = await events.next();
    if (done) throw new Error('The stream has ended.');
    if (value) return value;
  }
}

type SentItem = Record<'ticket' | 'reply', { etag: string } | null>;

describe('the event stream of changes (HTML Living Standard §9.2)', () => {
  test('sends all current changes, a position event, and then new changes', async () => {
    const first = await api.addTicket();
    const response = await open();
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toMatch(/^text\/event-stream/);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(response.headers.get('X-Accel-Buffering')).toBe('no');
    expect(response.headers.get('Content-Encoding')).toBeNull();
    const events = readEvents(response);
    expect(await next(events)).toMatchObject({ event: 'change', data: { id: first.id, deleted: false } });
    const { event, id: position, data } = await next(events);
    expect([event, data]).toEqual(['position', { position, fields_tag: expect.any(String) }]);
    const second = await api.addTicket();
    const { changes } = await readChanges(agent, `?since=${position}`);
    expect(await next(events)).toMatchObject({ event: 'change', data: changes[0], id: expect.any(String) });
    expect(changes).toMatchObject([{ id: second.id }]);
  });

  test.each(['agent', 'customer'])(
    'sends each resource with the entity tag of a GET by the same %s',
    async (role) => {
      const email = `${role}@example.com`;
      const send = signIn(api, role, email);
      const { id } = await api.addTicket({ requester: { email: 'customer@example.com' } });
      const ticket = `/ticket/${id}`;
      const { json: reply } = await agent('POST', `${ticket}/replies.json`, { body: 'Hello' });
      await agent('PATCH', `${ticket}.json`, { tags: ['internal'] });
      const events = readEvents(await open('', {}, claimsOf(role, email)));
      const sent = [await next(events), await next(events)].map(({ data }) => data as SentItem);
      for (const [path, found] of [
        [`${ticket}/reply/${reply.id}.json`, sent.find((item) => item.reply)?.reply],
        [`${ticket}.json`, sent.find((item) => item.ticket)?.ticket],
      ] as const) {
        const { headers } = await send('GET', path);
        expect(found).toMatchObject({ etag: headers.get('ETag') });
      }
    },
  );

  test('sends a position event when definitions of custom fields change', async () => {
    const events = readEvents(await open());
    const { data: before } = await next(events);
    const admin = signIn(api, 'admin', 'root@example.com');
    await admin('POST', '/ticket_fields.json', { key: 'floor', title: 'Floor', type: 'integer' });
    const { event, data } = await next(events);
    expect(event).toBe('position');
    expect(data).toEqual({ ...before, fields_tag: (await readChanges(agent, '')).fields_tag });
    expect(data).not.toEqual(before);
  });

  test('continues after Last-Event-ID instead of since, even in another process', async () => {
    for (let i = 0; i < 3; i++) await api.addTicket();
    const events = readEvents(await open());
    const [first, second, third] = [await next(events), await next(events), await next(events)];
    await api.stop();
    api = await startApi({ storageUrl: database.storageUrl });
    const again = readEvents(await open('?since=now', { 'Last-Event-ID': first.id ?? '' }));
    expect([await next(again), await next(again)]).toEqual([second, third]);
  });

  test('sends heartbeats while idle', async () => {
    const events = readEvents(await open('?since=now'));
    expect((await events.next()).value).toMatchObject({ event: 'position' });
    expect((await events.next()).value).toBeUndefined();
    expect((await events.next()).value).toBeUndefined();
  });

  test('sends a tombstone when a customer loses access, and no later changes', async () => {
    const { id } = await api.addTicket({ cc: [{ email: 'ada@example.com' }] });
    const events = readEvents(await open('?since=now', {}, claimsOf('customer', 'ada@example.com')));
    await next(events);
    await agent('PUT', `/ticket/${id}.json`, { cc: [] });
    expect(await next(events)).toMatchObject({ event: 'change', data: { id, deleted: true, ticket: null } });
    await next(events);
    await agent('PUT', `/ticket/${id}.json`, { subject: 'secret' });
    const own = await api.addTicket({ requester: { email: 'ada@example.com' } });
    expect(await next(events)).toMatchObject({ event: 'change', data: { id: own.id } });
  });

  test('ends when the token expires', async () => {
    const exp = Math.floor(Date.now() / 1000) + 2;
    const events = readEvents(await open('?since=now', {}, { exp }));
    await next(events);
    expect(await next(events)).toMatchObject({ event: 'closing', data: { reason: 'token_expired' } });
    expect((await events.next()).done).toBe(true);
  });

  test('adds no more listeners to its response than Node expects', async () => {
    const warnings: Error[] = [];
    const record = (warning: Error) => void warnings.push(warning);
    process.on('warning', record);
    const metrics = createMetrics();
    const measured = await startApi({ metrics });
    const exp = Math.floor(Date.now() / 1000) + 2;
    const token = measured.issuer.token({ role: 'agent', exp });
    const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
    const response = await fetch(`${measured.url}/changes`, { headers });
    expect(await response.text()).toContain('token_expired');
    await measured.stop();
    process.off('warning', record);
    expect(warnings).toEqual([]);
  });

  test('continues while the process drains, and ends with the drain period', async () => {
    const events = readEvents(await open('?since=now'));
    await next(events);
    api.drain();
    const { id } = await api.addTicket();
    expect(await next(events)).toMatchObject({ event: 'change', data: { id } });
    expect(await next(events)).toMatchObject({ event: 'position' });
    api.endWaits();
    expect(await next(events)).toMatchObject({ event: 'closing', data: { reason: 'shutting_down' } });
    expect((await events.next()).done).toBe(true);
  });

  test('is 410 for an expired position', async () => {
    const { id } = await api.addTicket();
    const { position } = await readChanges(agent, '');
    await agent('DELETE', `/ticket/${id}.json`);
    await api.storage.changes.purgeTombstones(new Date(Date.now() + 60_000), 100);
    for (const response of [
      await open(`?since=${position}`),
      await open('', { 'Last-Event-ID': position }),
    ]) {
      expect(response.status).toBe(410);
      expect(await response.json()).toMatchObject({ code: 'position_expired' });
    }
  });

  test('rejects invalid requests with a problem in JSON', async () => {
    const rejected = async (...given: Parameters<typeof open>) => {
      const response = await open(...given);
      expect(response.headers.get('Content-Type')).toBe('application/problem+json');
      return [response.status, await response.json()];
    };
    expect(await rejected('?limit=3')).toMatchObject([400, { errors: [{ field: 'limit' }] }]);
    expect(await rejected('', { 'Last-Event-ID': 'x' })).toMatchObject([
      400,
      { errors: [{ field: 'Last-Event-ID' }] },
    ]);
    expect(await rejected('', { Authorization: '' })).toMatchObject([401, {}]);
    expect(await rejected('', {}, { scope: 'openid' })).toMatchObject([403, { code: 'insufficient_scope' }]);
    expect(await rejected('', {}, { role: undefined })).toMatchObject([403, { code: 'forbidden' }]);
  });

  test('is only selected by Accept', async () => {
    for (const [path, accept, type] of [
      ['/changes', '*/*', 'application/json'],
      ['/changes', 'application/xml', 'application/xml'],
      ['/changes', 'application/json, text/event-stream;q=0.5', 'application/json'],
      ['/changes.json', '*/*', 'application/json'],
      ['/changes.json', 'text/event-stream;q=0.5, application/json', 'application/json'],
      ['/changes.xml', 'text/event-stream', 'application/xml'],
    ] as const) {
      const { headers } = await api.request('GET', path, undefined, { Accept: accept });
      expect(headers.get('Content-Type')).toContain(type);
      if (!path.endsWith('.xml')) expect(headers.get('Vary')).toMatch(/\bAccept(,|$)/);
    }
  });

  test('is also available with the suffix .json', async () => {
    const { id } = await api.addTicket();
    const { position } = await readChanges(agent, '');
    const second = await api.addTicket();
    const response = await open(`.json?since=${position}`);
    expect(response.headers.get('Content-Type')).toMatch(/^text\/event-stream/);
    expect(response.headers.get('Vary')).toMatch(/\bAccept(,|$)/);
    expect(await next(readEvents(response))).toMatchObject({ event: 'change', data: { id: second.id } });
    const fromBeginning = await open('.json');
    expect(await next(readEvents(fromBeginning))).toMatchObject({ event: 'change', data: { id } });
    expect((await open('.json?since=never')).status).toBe(400);
  });

  test('answers HEAD with its headers and frees the waiter (RFC 9110 §9.3.2)', async () => {
    await api.addTicket();
    const head = (query: string, headers: object = {}) =>
      api.request('HEAD', `/changes${query}`, undefined, { Accept: 'text/event-stream', ...headers });
    for (let i = 0; i < 25; i++) {
      const { status, headers, text } = await head('?since=now');
      expect([status, headers.get('Content-Type'), text]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
        '',
      ]);
    }
    expect((await head('?limit=3')).status).toBe(400);
    expect((await head('', { 'Last-Event-ID': 'x' })).status).toBe(400);
  });

  test('does not buffer unread events for a slow client', async () => {
    for (let i = 0; i < 40; i++) await api.addTicket({ description: 'x'.repeat(60_000) });
    const events = readEvents(await open());
    await next(events);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const ids = new Set<unknown>();
    for (let event = await next(events); event.event === 'change'; event = await next(events)) {
      ids.add(event.data.id);
    }
    expect(ids.size).toBe(39);
  });
});

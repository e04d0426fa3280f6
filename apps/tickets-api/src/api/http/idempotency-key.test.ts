import { once } from 'node:events';
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { describeWith, useStarted } from '@keydesk/testing';
import { describe, expect, test, vi } from 'vitest';
import {
  createMongoDatabase,
  createSqliteDatabase,
  type TestDatabase,
} from '../../storage/test-database.fixture.ts';
import { type Answer, startApi } from '../../tests/api.fixture.ts';

const api = useStarted(() => startApi());

let keys = 0;
const newKey = () => `key-${++keys}`;

function post(key: string, body: unknown, { request } = api): Promise<Answer> {
  return request('POST', '/tickets.json', body, { 'Idempotency-Key': key });
}

/** Starts a POST and holds back the last byte of its body. Resolves once the API handles the request. */
async function startPost(key: string, body: unknown) {
  const text = JSON.stringify(body);
  const scope = 'tickets:read tickets:write tickets:delete';
  const Authorization = `Bearer ${api.issuer.token({ role: 'agent', scope })}`;
  // Only the first use of a token is asynchronous.
  await api.request('GET', '/me.json', undefined, { Authorization });
  const headers = {
    Authorization,
    'Content-Type': 'application/json',
    'Content-Length': text.length,
    Expect: '100-continue',
    'Idempotency-Key': key,
  };
  const request = sendRequest(`${api.url}/tickets.json`, { method: 'POST', headers });
  const begun = once(request, 'continue');
  request.flushHeaders();
  await begun;
  request.on('error', () => undefined);
  request.write(text.slice(0, -1));
  return {
    async finish(): Promise<number | undefined> {
      const answered = once(request, 'response') as Promise<[IncomingMessage]>;
      request.end(text.slice(-1));
      const [response] = await answered;
      response.resume();
      return response.statusCode;
    },
    abort: () => request.destroy(),
  };
}

/** Classifies an answer as first, replay or error code. */
function toKind({ status, headers, json }: Answer): unknown {
  if (status !== 201) return json.code;
  return headers.get('Idempotency-Replayed') ? 'replay' : 'first';
}

describe('while a request is in flight (draft-ietf-httpapi-idempotency-key-header-07 §2.7)', () => {
  test('a second one with its key gets 409, and the first is executed and replayed', async () => {
    const key = newKey();
    const first = await startPost(key, { subject: 'Once', tags: [key] });
    const { status, json, headers } = await post(key, { subject: 'Once', tags: [key] });
    expect(status).toBe(409);
    expect(json).toMatchObject({ code: 'conflict', detail: expect.stringContaining('in flight') });
    expect(headers.get('Retry-After')).toBe('1');
    expect(toKind(await post(newKey(), { subject: 'Under another key' }))).toBe('first');
    expect(await first.finish()).toBe(201);
    expect(toKind(await post(key, { subject: 'Once', tags: [key] }))).toBe('replay');
    const listed = await api.request('GET', `/tickets.json?tag=${key}`);
    expect(listed.json.tickets).toHaveLength(1);
  });

  test('its key can be used again after it was rejected or aborted', async () => {
    const key = newKey();
    expect((await post(key, {})).status).toBe(400);
    const first = await startPost(key, { subject: 'Aborted' });
    expect((await post(key, {})).status).toBe(409);
    first.abort();
    await vi.waitFor(async () => expect((await post(key, {})).status).toBe(400));
    expect(toKind(await post(key, { subject: 'Once' }))).toBe('first');
  });

  test('reads with its key are not rejected', async () => {
    const key = newKey();
    const first = await startPost(key, { subject: 'Once' });
    const read = await api.request('GET', '/tickets.json', undefined, { 'Idempotency-Key': key });
    expect(read.status).toBe(200);
    expect(await first.finish()).toBe(201);
  });
});

function createsOneTicket(createDatabase: () => Promise<TestDatabase>): void {
  test('twenty concurrent POSTs with one key to two processes create one ticket; the others get a replay or 409', async () => {
    const database = await createDatabase();
    const { storageUrl } = database;
    const [one, other] = [await startApi({ storageUrl }), await startApi({ storageUrl })];
    const send = (to = one) => post('raced', { subject: 'Once' }, to);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i % 2 ? one : other)));

    const byKind = Map.groupBy(answers, toKind);
    expect(byKind.get('first')).toHaveLength(1);
    expect(['first', 'replay', 'conflict']).toEqual(expect.arrayContaining([...byKind.keys()]));
    const [first] = byKind.get('first') ?? [];
    for (const { text } of [...(byKind.get('replay') ?? []), await send(one), await send(other)]) {
      expect(text).toBe(first?.text);
    }
    const { json } = await one.request('GET', '/tickets.json');
    expect(json.tickets).toEqual([first?.json]);
    await Promise.all([one.stop(), other.stop()]);
    await database.drop();
  });
}

describe('on SQLite', () => createsOneTicket(createSqliteDatabase));
describeWith('mongodb', 'on MongoDB', (url) => createsOneTicket(() => createMongoDatabase(url)));

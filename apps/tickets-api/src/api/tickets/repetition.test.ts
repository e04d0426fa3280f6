import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describeWith, useStarted } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import {
  createMongoDatabase,
  createSqliteDatabase,
  type TestDatabase,
} from '../../storage/test-database.fixture.ts';
import { type Answer, startApi } from '../../tests/api.fixture.ts';
import { signIn } from '../people/people.fixture.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Milliseconds that the clock of the API is ahead. */
let aheadMs = 0;
const api = useStarted(() => startApi({ now: () => new Date(Date.now() + aheadMs) }));

let keys = 0;
const newKey = () => `key-${++keys}`;

function post(key: string, body: unknown, path = '/tickets.json', headers: Record<string, string> = {}) {
  return api.request('POST', path, body, { 'Idempotency-Key': key, ...headers });
}

async function countTagged(tag: string): Promise<number> {
  return ((await api.request('GET', `/tickets.json?tag=${tag}`)).json.tickets as unknown[]).length;
}

/** Returns the parts of a response that a replay repeats. */
function told({ status, text, headers }: Answer) {
  const names = ['Content-Type', 'Content-Length', 'Location', 'ETag', 'Cache-Control'];
  return { status, text, headers: names.map((name) => headers.get(name)) };
}

describe('Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07)', () => {
  test.each(['json', 'xml'])('a repeated POST gets the first answer again, in %s', async (format) => {
    const key = newKey();
    const body = { subject: 'Once', tags: [key] };
    const first = await post(key, body, `/tickets.${format}`);
    expect(first.status).toBe(201);
    expect(first.headers.get('Idempotency-Replayed')).toBeNull();
    const second = await post(key, body, `/tickets.${format}`);
    expect(told(second)).toEqual(told(first));
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expect(await countTagged(key)).toBe(1);
  });

  test('the first answer is replayed after later changes of the ticket', async () => {
    const key = newKey();
    const first = await post(key, { subject: 'Once' });
    await api.request('PUT', `/ticket/${first.json.id}.json`, { subject: 'Changed' });
    expect(told(await post(key, { subject: 'Once' }))).toEqual(told(first));
    await api.request('DELETE', `/ticket/${first.json.id}.json`);
    expect(told(await post(key, { subject: 'Once' }))).toEqual(told(first));
  });

  test('the same data in another order, format or representation is the same request', async () => {
    const key = newKey();
    const { json } = await post(key, { subject: 'Same', tags: ['a'], custom_fields: { x: '1', y: '2' } });
    const answers = [
      await post(key, '{"custom_fields":{"y":"2","x":"1"},"tags":["a"],"subject":"Same"}', '/tickets.json', {
        'Content-Type': 'application/json',
      }),
      await post(
        key,
        'subject=Same&tags%5B%5D=a&custom_fields%5Bx%5D=1&custom_fields%5By%5D=2',
        '/tickets.json',
        {
          'Content-Type': 'application/x-www-form-urlencoded',
        },
      ),
      await post(
        key,
        '<ticket><subject>Same</subject><tags><tag>a</tag></tags><custom_fields><field key="x">1</field><field key="y">2</field></custom_fields></ticket>',
        '/tickets',
        { 'Content-Type': 'application/xml' },
      ),
    ];
    for (const answer of answers) expect(answer.json).toEqual(json);
    const xml = await post(
      key,
      { subject: 'Same', tags: ['a'], custom_fields: { x: '1', y: '2' } },
      '/tickets.xml',
    );
    expect(xml.text).toContain(`<id>${json.id}</id>`);
    expect(xml.headers.get('Location')).toMatch(/\.xml$/);
  });

  test('another payload with the same key is 422 and creates nothing', async () => {
    const key = newKey();
    await post(key, { subject: 'One', tags: [key] });
    const { status, json } = await post(key, { subject: 'Another', tags: [key] });
    expect(status).toBe(422);
    expect(json.code).toBe('idempotency_mismatch');
    expect(await countTagged(key)).toBe(1);
  });

  test.each([
    ['client', { client_id: 'other-client', sub: 'client-1' }],
    ['subject', { client_id: 'client-1', sub: 'other-subject' }],
  ])('the same key from another %s is another key', async (_, claims) => {
    const key = newKey();
    const token = (given: Record<string, string>) => ({
      Authorization: `Bearer ${api.issuer.token({ role: 'agent', scope: 'tickets:write', ...given })}`,
    });
    const mine = await post(
      key,
      { subject: 'Mine' },
      '/tickets.json',
      token({ client_id: 'client-1', sub: 'client-1' }),
    );
    const theirs = await post(key, { subject: 'Theirs' }, '/tickets.json', token(claims));
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.json.id).not.toBe(mine.json.id);
  });

  test('an answer to staff is not replayed to a person who is no longer staff', async () => {
    const email = 'moved@example.com';
    const [agent, customer] = [signIn(api, 'agent', email), signIn(api, 'customer', email)];
    const { id } = await api.addTicket({ requester: { email } });
    for (const [path, body] of [
      ['/tickets.json', { subject: 'x', requester: { email } }],
      [`/ticket/${id}/replies.json`, { body: 'x' }],
    ] as const) {
      const key = { 'Idempotency-Key': newKey() };
      expect((await agent('POST', path, body, key)).status).toBe(201);
      expect((await customer('POST', path, body, key)).json.code).toBe('idempotency_mismatch');
    }
  });

  test('a replayed answer to a customer omits custom fields hidden since', async () => {
    const [admin, ada] = [
      signIn(api, 'admin', 'root@example.com'),
      signIn(api, 'customer', 'ada@example.com'),
    ];
    const shown = { visible_to_customers: true, editable_by_customers: true };
    const field = await admin('POST', '/ticket_fields.json', {
      key: 'floor',
      title: 'x',
      type: 'text',
      ...shown,
    });
    const key = { 'Idempotency-Key': newKey() };
    const add = () => ada('POST', '/tickets.json', { subject: 'x', custom_fields: { floor: '3' } }, key);
    const first = await add();
    expect(first.json.custom_fields).toEqual({ floor: '3' });
    const hidden = { visible_to_customers: false, editable_by_customers: false };
    await admin('PATCH', `/ticket_field/${field.json.id}.json`, hidden);
    const etag = expect.stringMatching(/^"c1-/);
    expect((await add()).json).toEqual({ ...first.json, custom_fields: {}, etag });
  });

  test('a key is the same with and without quotes', async () => {
    const key = newKey();
    const first = await post(key, { subject: 'Quoted' });
    expect(told(await post(`"${key}"`, { subject: 'Quoted' }))).toEqual(told(first));
    expect((await post('"a\\"b\\\\"', { subject: 'Escaped' })).status).toBe(201);
    expect((await post('k'.repeat(255), { subject: 'Long' })).status).toBe(201);
  });

  test.each(['', '""', 'a b', 'é', '"a', 'a"', '"a\\b"', 'one, two', '"one", "two"', 'k'.repeat(256)])(
    'a malformed key is 400: %j',
    async (key) => {
      const { status, json } = await post(key, { subject: 'x', tags: ['no-key'] });
      expect(status).toBe(400);
      expect(json.errors).toMatchObject([{ field: 'Idempotency-Key', code: 'invalid_value' }]);
      expect(await countTagged('no-key')).toBe(0);
    },
  );

  test('a rejected request may be corrected with the same key', async () => {
    const key = newKey();
    expect((await post(key, { subject: '' })).status).toBe(400);
    expect((await post(key, { subject: 'Corrected' })).status).toBe(201);
  });

  test('a key can be reused after 24 hours and not earlier', async () => {
    const key = newKey();
    const first = await post(key, { subject: 'Kept' });
    aheadMs = DAY_MS - 60_000;
    const token = () => ({
      Authorization: `Bearer ${api.issuer.token({ role: 'agent', scope: 'tickets:write', exp: Math.floor(Date.now() / 1000) + 2 * 86_400 })}`,
    });
    expect((await post(key, { subject: 'Kept' }, '/tickets.json', token())).json).toEqual(first.json);
    aheadMs = DAY_MS + 60_000;
    const anew = await post(key, { subject: 'Anew' }, '/tickets.json', token());
    aheadMs = 0;
    expect(anew.status).toBe(201);
    expect(anew.headers.get('Idempotency-Replayed')).toBeNull();
  });

  test('a browser app may send the key and read whether the answer is a replay', async () => {
    const { headers } = await api.request('OPTIONS', '/tickets.json', undefined, {
      Authorization: undefined,
      Origin: 'https://app.example',
      'Access-Control-Request-Method': 'POST',
    });
    expect(headers.get('Access-Control-Allow-Headers')).toMatch(/\bIdempotency-Key\b/);
    expect(headers.get('Access-Control-Expose-Headers')).toMatch(/\bIdempotency-Replayed\b/);
  });
});

const program = fileURLToPath(new URL('./killed-before-answer.main.fixture.ts', import.meta.url));

function survivesDeath(createDatabase: () => Promise<TestDatabase>): void {
  test('a repeated POST is answered after the process was killed between commit and answer', async () => {
    const database = await createDatabase();
    const body = { subject: 'Unanswered', tags: ['unanswered'] };
    const child = fork(program, [database.storageUrl, 'unanswered', JSON.stringify(body)], { execArgv: [] });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);

    const restarted = await startApi({ storageUrl: database.storageUrl });
    const again = await restarted.request('POST', '/tickets.json', body, { 'Idempotency-Key': 'unanswered' });
    expect(again.status).toBe(201);
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    const { json } = await restarted.request('GET', '/tickets.json');
    expect(json.tickets).toEqual([again.json]);
    await restarted.stop();
    await database.drop();
  });
}

function outlivesItsTicket(createDatabase: () => Promise<TestDatabase>): void {
  test('a repeated reply gets its first answer after the ticket is closed or deleted, until it is purged', async () => {
    const database = await createDatabase();
    const other = await startApi({ storageUrl: database.storageUrl });
    const { id } = await other.addTicket({ status: 'solved' });
    const send = (body: string) =>
      other.request('POST', `/ticket/${id}/replies.json`, { body }, { 'Idempotency-Key': 'reply' });
    const first = await send('Once');
    await other.request('PUT', `/ticket/${id}.json`, { status: 'closed' });
    expect(told(await send('Once'))).toEqual(told(first));
    expect((await send('Another')).status).toBe(422);
    await other.request('DELETE', `/ticket/${id}.json`);
    expect(told(await send('Once'))).toEqual(told(first));
    const admin = other.issuer.token({ role: 'admin', scope: 'tickets:delete' });
    await other.request('DELETE', `/ticket/${id}.json?purge=true`, undefined, {
      Authorization: `Bearer ${admin}`,
    });
    expect((await send('Once')).status).toBe(404);
    await other.stop();
    await database.drop();
  });
}

describe('on SQLite', () => {
  survivesDeath(createSqliteDatabase);
  outlivesItsTicket(createSqliteDatabase);
});
describeWith('mongodb', 'on MongoDB', (url) => {
  survivesDeath(() => createMongoDatabase(url));
  outlivesItsTicket(() => createMongoDatabase(url));
});

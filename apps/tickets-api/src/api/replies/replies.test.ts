import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { connect, type Send, signIn } from '../people/people.fixture.ts';

const MINUTE_MS = 60_000;

let api: TestApi;
let agent: Send;
let admin: Send;
let ada: Send;
/** Milliseconds by which the clock of the API is ahead. */
let aheadMs = 0;

function signInTo(started: TestApi): void {
  api = started;
  agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
  const exp = Math.floor(Date.now() / 1000) + 3600;
  admin = signIn(api, 'admin', 'root@example.com', { exp });
  ada = signIn(api, 'customer', 'ada@example.com', { name: 'Ada', exp });
}

async function ticketOfAda(fields: Record<string, unknown> = {}): Promise<string> {
  return (await api.addTicket({ requester: { email: 'ada@example.com' }, ...fields })).id;
}

async function reply(send: Send, ticketId: string, fields: Record<string, unknown> = {}) {
  const { status, json, text } = await send('POST', `/ticket/${ticketId}/replies.json`, {
    body: 'x',
    ...fields,
  });
  expect(status, text).toBe(201);
  const author = json.author as { email: string | null };
  return { ...json, author, path: `/ticket/${ticketId}/reply/${json.id}.json` };
}

const statusOf = async (id: string) => (await agent('GET', `/ticket/${id}.json`)).json.status;

function replies(): void {
  test('are added, fetched and listed in order, page by page', async () => {
    const id = await ticketOfAda();
    const made = [await reply(agent, id), await reply(ada, id), await reply(connect(api, 'agent'), id)];
    expect(made.map(({ author }) => author.email)).toEqual(['grace@example.com', 'ada@example.com', null]);
    const first = await agent('GET', `/ticket/${id}/replies.json?limit=2`);
    const second = await agent('GET', `/ticket/${id}/replies.json?limit=2&cursor=${first.json.next_cursor}`);
    const listed = [
      ...(first.json.replies as { id: string }[]),
      ...(second.json.replies as { id: string }[]),
    ];
    expect(listed).toEqual(made.map(({ path, ...each }) => each));
    expect(second.json.next_cursor).toBeNull();
    expect((await agent('GET', String(made[0]?.path))).json).toEqual(listed[0]);
    const other = await agent(
      'GET',
      `/ticket/${id}/replies.json?sort=-created_at&cursor=${first.json.next_cursor}`,
    );
    expect(other.status).toBe(400);
  });

  test('that are internal are visible only to staff', async () => {
    const id = await ticketOfAda();
    const note = await reply(agent, id, { visibility: 'internal', body: 'secret' });
    expect((await agent('GET', note.path)).status).toBe(200);
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { body: 'y' }],
      ['DELETE', undefined],
    ] as const)
      expect((await ada(method, note.path, body)).status).toBe(404);
    expect((await ada('GET', `/ticket/${id}/replies.json`)).json.replies).toEqual([]);
    expect((await ada('GET', `/ticket/${id}/events.json`)).text).not.toContain('reply.');
  });

  test('are hidden from users who can’t see the ticket, even if they are public', async () => {
    const id = await ticketOfAda();
    const { path } = await reply(agent, id);
    const bob = signIn(api, 'customer', 'bob@example.com');
    const foreign = path.replace(id, await ticketOfAda());
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { body: 'y' }],
      ['PATCH', { body: 'y' }],
      ['DELETE', undefined],
    ] as const) {
      expect((await bob(method, path, body)).status).toBe(404);
      expect((await agent(method, foreign, body)).status).toBe(404);
    }
    expect((await bob('GET', `/ticket/${id}/replies.json`)).status).toBe(404);
    await agent('DELETE', `/ticket/${id}.json`);
    for (const each of [path, `/ticket/${id}/replies.json`])
      for (const send of [agent, ada]) expect((await send('GET', each)).status).toBe(404);
  });

  test('of customers are public and in their own name', async () => {
    const id = await ticketOfAda();
    const { status, json } = await ada('POST', `/ticket/${id}/replies.json`, {
      body: 'x',
      visibility: 'internal',
      author: { email: 'grace@example.com' },
    });
    expect(status).toBe(403);
    expect(json.errors).toMatchObject([{ field: 'visibility' }, { field: 'author' }]);
  });

  test.each([
    ['pending', 'open'],
    ['solved', 'open'],
    ['hold', 'hold'],
    ['new', 'new'],
  ])('of a customer take a ticket from %s to %s', async (from, to) => {
    const id = await ticketOfAda({ status: from });
    await reply(ada, id);
    expect(await statusOf(id)).toBe(to);
  });

  test('that a program adds on behalf of a customer reopen the ticket, and do not count as a first reply', async () => {
    const id = await ticketOfAda({ status: 'pending' });
    await reply(connect(api, 'agent'), id, { author: { email: 'ada@example.com' } });
    expect((await agent('GET', `/ticket/${id}.json`)).json).toMatchObject({
      status: 'open',
      first_replied_at: null,
    });
  });

  test('of staff have them as author, even on their own ticket and when they name themselves', async () => {
    const id = await ticketOfAda({ status: 'pending', cc: [{ email: 'grace@example.com' }] });
    await reply(agent, id, { author: { email: 'grace@example.com' } });
    expect(await statusOf(id)).toBe('pending');
  });

  test('of customers may set the status solved, and no other status', async () => {
    const id = await ticketOfAda({ status: 'open' });
    const refused = await ada('POST', `/ticket/${id}/replies.json`, { body: 'x', status: 'pending' });
    expect([refused.status, refused.json.errors]).toMatchObject([403, [{ field: 'status' }]]);
    await reply(ada, id, { status: 'solved' });
    expect(await statusOf(id)).toBe('solved');
  });

  test.each(['', ' \n'])('with a blank text are rejected with one error: %j', async (body) => {
    const path = `/ticket/${await ticketOfAda()}/replies.json`;
    const { status, json } = await ada('POST', path, { body });
    expect([status, json.errors]).toEqual([400, [expect.objectContaining({ field: 'body' })]]);
  });

  test('of staff may set the status in the same transaction; a rejected status adds no reply', async () => {
    const id = await ticketOfAda();
    await reply(agent, id, { status: 'pending' });
    expect((await agent('GET', `/ticket/${id}.json`)).json).toMatchObject({ status: 'pending', version: 2 });
    const refused = await agent('POST', `/ticket/${id}/replies.json`, { body: 'y', status: 'new' });
    expect(refused.status).toBe(409);
    expect((await agent('GET', `/ticket/${id}/replies.json`)).json.replies).toHaveLength(1);
  });

  test('of staff set the time of the first reply if they are public; notes do not', async () => {
    const id = await ticketOfAda();
    await reply(agent, id, { visibility: 'internal' });
    expect((await agent('GET', `/ticket/${id}.json`)).json.first_replied_at).toBeNull();
    const { created_at } = (await reply(agent, id)) as Record<string, unknown>;
    await reply(agent, id);
    expect((await agent('GET', `/ticket/${id}.json`)).json.first_replied_at).toBe(created_at);
  });

  test('are added once by a repeated request, even if the ticket has changed since', async () => {
    const id = await ticketOfAda({ status: 'solved' });
    const key = { 'Idempotency-Key': `reply-${id}` };
    const first = await agent('POST', `/ticket/${id}/replies.json`, { body: 'x' }, key);
    await agent('PUT', `/ticket/${id}.json`, { status: 'closed' });
    const again = await agent('POST', `/ticket/${id}/replies.json`, { body: 'x' }, key);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    expect((await agent('POST', `/ticket/${id}/replies.json`, { body: 'y' }, key)).status).toBe(422);
  });

  test('to an outdated ticket are rejected with the current one, and change nothing (RFC 9110 §13.1.1)', async () => {
    const id = await ticketOfAda();
    for (const [send, format] of [
      [agent, 'json'],
      [ada, 'xml'],
    ] as const) {
      const outdated = (await send('GET', `/ticket/${id}.${format}`)).headers.get('ETag') ?? '';
      await agent('POST', `/ticket/${id}/replies.json`, { body: 'first' });
      const before = (await agent('GET', `/ticket/${id}.json`)).text;
      const path = `/ticket/${id}/replies.${format}`;
      const refused = await send('POST', path, { body: 'x' }, { 'If-Match': outdated });
      expect(refused.status).toBe(412);
      expect(refused.text).toContain(id);
      expect((await agent('GET', `/ticket/${id}.json`)).text).toBe(before);
      const current = (await send('GET', `/ticket/${id}.${format}`)).headers.get('ETag') ?? '';
      const key = { 'If-Match': current, 'Idempotency-Key': `conditional-${format}-${id}` };
      const first = await send('POST', path, { body: 'x' }, key);
      const again = await send('POST', path, { body: 'x' }, key);
      expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    }
  });

  test('are all stored when twenty are added concurrently, each with a new version of the ticket', async () => {
    const id = await ticketOfAda();
    await Promise.all(Array.from({ length: 20 }, () => reply(agent, id)));
    expect((await agent('GET', `/ticket/${id}/replies.json`)).json.replies).toHaveLength(20);
    expect((await agent('GET', `/ticket/${id}.json`)).json.version).toBe(21);
  });
}

function edits(): void {
  test('is allowed to the author for 15 minutes, and to administrators always', async () => {
    const { path } = await reply(ada, await ticketOfAda());
    expect((await agent('PUT', path, { body: 'y' })).status).toBe(403);
    expect((await ada('PUT', path, { body: 'mine' })).json).toMatchObject({ body: 'mine', version: 2 });
    aheadMs = 16 * MINUTE_MS;
    const late = await ada('PUT', path, { body: 'late' });
    expect((await admin('PATCH', path, { boddy: null })).status).toBe(400);
    const byAdmin = await admin('PATCH', path, { body: 'better' });
    aheadMs = 0;
    expect(late.status).toBe(403);
    expect(byAdmin.json).toMatchObject({ body: 'better', version: 3 });
  });

  test('of an outdated reply returns 412 with the current one, in XML as well (RFC 9110 §13.1.1)', async () => {
    const { path } = await reply(ada, await ticketOfAda());
    const stale = await ada('PUT', path.replace('.json', '.xml'), { body: 'y' }, { 'If-Match': '"7-json"' });
    expect(stale.status).toBe(412);
    expect(stale.text).toMatch(/<current><id>.*<\/id><ticket_id>.*<visibility>public/);
  });

  test('never changes the visibility of a reply, nor whether it counts as one', async () => {
    const { path } = await reply(agent, await ticketOfAda());
    const { counts_as_reply } = (await agent('GET', path)).json;
    for (const change of [{ visibility: 'internal' }, { counts_as_reply: !counts_as_reply }]) {
      const { status, json } = await agent('PUT', path, change);
      expect(status).toBe(400);
      expect(json.errors).toMatchObject([{ field: Object.keys(change)[0], code: 'read_only' }]);
    }
  });

  test('is an event: with the earlier text for staff, without it for customers', async () => {
    const id = await ticketOfAda();
    const { path } = await reply(agent, id, { body: 'The password is hunter2' });
    await agent('PUT', path, { body: 'The password is with you' });
    await agent('DELETE', path);
    expect((await agent('GET', path)).status).toBe(404);
    const { json, text } = await agent('GET', `/ticket/${id}/events.json`);
    expect((json.events as { type: string }[]).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['reply.added', 'reply.changed', 'reply.removed']),
    );
    expect(text).toContain('hunter2');
    const seen = await ada('GET', `/ticket/${id}/events.json`);
    expect(seen.text).toContain('reply.removed');
    expect(seen.text).not.toContain('hunter2');
  });
}

function history(): void {
  test('records actor, client, time, and each field with both values', async () => {
    const id = await ticketOfAda();
    await agent('PUT', `/ticket/${id}.json`, {
      status: 'open',
      assignee: { email: 'grace@example.com' },
      custom_fields: { floor: 3 },
    });
    const { json } = await agent('GET', `/ticket/${id}/events.json?sort=-created_at&limit=1`);
    expect(json.events).toMatchObject([
      {
        type: 'ticket.changed',
        actor: { type: 'person', name: 'Grace' },
        client_id: 'mobile-app',
        changes: [
          { field: 'status', from: 'new', to: 'open' },
          { field: 'status_category', from: 'new', to: 'open' },
          { field: 'assignee', from: null, to: 'grace@example.com' },
          { field: 'custom_fields.floor', from: null, to: 3 },
        ],
      },
    ]);
    const { json: seen } = await ada('GET', `/ticket/${id}/events.json?sort=-created_at&limit=1`);
    const fields = ['status', 'status_category', 'assignee'];
    expect(seen.events).toMatchObject([{ client_id: null, changes: fields.map((field) => ({ field })) }]);
  });

  test('shows customers that a program made a change, but not its name', async () => {
    const id = await ticketOfAda();
    await connect(api, 'agent')('PUT', `/ticket/${id}.json`, { status: 'open' });
    const actorsOf = async (send: Send) => {
      const { json } = await send('GET', `/ticket/${id}/events.json?sort=-created_at&limit=1`);
      return (json.events as { actor: object }[]).map(({ actor }) => actor);
    };
    expect(await actorsOf(agent)).toMatchObject([{ type: 'client', id: 'machine' }]);
    expect(await actorsOf(ada)).toMatchObject([{ type: 'client', id: null }]);
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, signInTo, { now: () => new Date(Date.now() + aheadMs) });
  describe('replies', replies);
  describe('an edit', edits);
  describe('the history', history);
});

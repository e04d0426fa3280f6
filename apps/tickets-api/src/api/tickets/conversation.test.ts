import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { connect, type Send, signIn } from '../people/people.fixture.ts';

const NONE = { last_reply_at: null, last_customer_reply_at: null, waiting_since: null, reply_count: 0 };

let api: TestApi;
let agent: Send;
let admin: Send;
let ada: Send;
/** Milliseconds that the clock of the API is ahead; it advances with every message, so no two messages share a time. */
let aheadMs = 0;

function signInTo(started: TestApi): void {
  api = started;
  agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
  admin = signIn(api, 'admin', 'root@example.com');
  ada = signIn(api, 'customer', 'ada@example.com', { name: 'Ada' });
}

async function open(fields: Record<string, unknown> = {}) {
  const requester = { email: 'ada@example.com' };
  const { json } = await agent('POST', '/tickets.json', { subject: 'x', requester, ...fields });
  return { id: String(json.id), openedAt: json.created_at };
}

async function write(send: Send, id: string, fields: Record<string, unknown> = {}) {
  aheadMs += 5;
  const { status, json, text } = await send('POST', `/ticket/${id}/replies.json`, { body: 'x', ...fields });
  expect(status, text).toBe(201);
  return { at: json.created_at, incoming: json.incoming, path: `/ticket/${id}/reply/${json.id}.json` };
}

async function setStatus(id: string, status: string): Promise<void> {
  aheadMs += 5;
  expect((await agent('PUT', `/ticket/${id}.json`, { status })).status).toBe(200);
}

/** Returns the conversation that staff see, after checking that the customer sees the same. */
async function look(id: string) {
  const [staffs, customers] = await Promise.all(
    [agent, ada].map((send) => send('GET', `/ticket/${id}.json`)),
  );
  const pick = ({ last_reply_at, last_customer_reply_at, waiting_since, reply_count }: typeof NONE) => ({
    last_reply_at,
    last_customer_reply_at,
    waiting_since,
    reply_count,
  });
  const seen = pick(staffs?.json as typeof NONE);
  expect(pick(customers?.json as typeof NONE)).toEqual(seen);
  return seen;
}

function conversation(): void {
  test('begins with the ticket, and the customer waits from then on', async () => {
    const { id, openedAt } = await open();
    expect(await look(id)).toEqual({ ...NONE, waiting_since: openedAt });
    for (const status of ['solved', 'closed']) expect(await look((await open({ status })).id)).toEqual(NONE);
  });

  test('ends the wait with a public reply of staff but not with a note', async () => {
    const { id, openedAt } = await open();
    await write(agent, id, { visibility: 'internal' });
    expect(await look(id)).toEqual({ ...NONE, waiting_since: openedAt });
    const { at, incoming } = await write(agent, id);
    expect(incoming).toBe(false);
    expect(await look(id)).toEqual({ ...NONE, last_reply_at: at, reply_count: 1 });
  });

  test('counts the wait from the first unanswered message, so a reminder does not restart it', async () => {
    const { id } = await open();
    await write(agent, id);
    const first = await write(ada, id);
    const reminder = await write(ada, id);
    expect(first.incoming).toBe(true);
    expect(await look(id)).toEqual({
      last_reply_at: reminder.at,
      last_customer_reply_at: reminder.at,
      waiting_since: first.at,
      reply_count: 3,
    });
  });

  test('treats a reply that a program forwards as a message of the customer', async () => {
    const { id } = await open();
    await write(agent, id);
    const { at, incoming } = await write(connect(api, 'agent'), id, { author: { email: 'ada@example.com' } });
    expect(incoming).toBe(true);
    expect(await look(id)).toMatchObject({ last_customer_reply_at: at, waiting_since: at });
  });

  test('is answered by solving and closing, and continues with the next message', async () => {
    const { id } = await open();
    await setStatus(id, 'solved');
    expect(await look(id)).toEqual(NONE);
    await setStatus(id, 'open');
    expect(await look(id)).toEqual(NONE);
    const { at } = await write(ada, id);
    expect(await look(id)).toMatchObject({ waiting_since: at });
    const thanks = await write(ada, id, { status: 'solved' });
    expect(await look(id)).toMatchObject({ last_customer_reply_at: thanks.at, waiting_since: null });
    await setStatus(id, 'closed');
    expect(await look(id)).toMatchObject({ waiting_since: null, reply_count: 2 });
  });

  test('is recomputed when a reply is removed', async () => {
    const { id, openedAt } = await open();
    const answer = await write(agent, id);
    const question = await write(ada, id);
    const note = await write(agent, id, { visibility: 'internal' });
    const before = await look(id);
    await admin('DELETE', note.path);
    expect(await look(id)).toEqual(before);
    await admin('DELETE', answer.path);
    expect(await look(id)).toEqual({ ...before, waiting_since: openedAt, reply_count: 1 });
    await admin('DELETE', question.path);
    expect(await look(id)).toEqual({ ...NONE, waiting_since: openedAt });
  });

  test('does not restart a wait that predates the solution when a reply is removed', async () => {
    const { id } = await open();
    await write(ada, id);
    await setStatus(id, 'solved');
    const { at } = await write(ada, id);
    const answer = await write(agent, id);
    await admin('DELETE', answer.path);
    expect(await look(id)).toMatchObject({ waiting_since: at, reply_count: 2 });
  });

  test('is the same in XML, may be sent back unchanged, and cannot be edited', async () => {
    const { id, openedAt } = await open();
    const path = `/ticket/${id}.json`;
    expect((await ada('GET', `/ticket/${id}.xml`)).text).toContain(
      `<last_reply_at nil="true"/><last_customer_reply_at nil="true"/><waiting_since>${openedAt}</waiting_since><reply_count>0</reply_count>`,
    );
    const { json } = await agent('GET', path);
    expect((await agent('PUT', path, json)).headers.get('Keydesk-Changed')).toBe('false');
    const { status, json: refused } = await agent('PUT', path, { reply_count: 7, waiting_since: null });
    expect([status, refused.errors]).toMatchObject([
      400,
      [{ field: 'waiting_since' }, { field: 'reply_count' }],
    ]);
  });

  test('adds no events except those of its replies', async () => {
    const { id } = await open();
    await write(ada, id);
    const { json } = await agent('GET', `/ticket/${id}/events.json`);
    expect((json.events as { type: string }[]).map(({ type }) => type)).toEqual([
      'ticket.created',
      'reply.added',
    ]);
  });

  test('can be filtered by its times and its number of replies, by staff and by the customer', async () => {
    const { id } = await open({ tags: ['found'] });
    const { at } = await write(agent, id);
    const question = await write(ada, id);
    for (const [query, isFound] of [
      [`last_reply_at[gte]=${question.at}`, true],
      [`last_reply_at[lt]=${question.at}`, false],
      [`last_customer_reply_at[gt]=${at}`, true],
      [`waiting_since=${question.at}`, true],
      ['waiting_since[empty]=true', false],
      ['reply_count[gte]=2', true],
      ['reply_count=10,2', true],
      ['reply_count[not]=2', false],
    ] as const) {
      for (const send of [agent, ada]) {
        const { json, text } = await send('GET', `/tickets.json?id=${id}&${query}`);
        expect(json.tickets, text).toHaveLength(isFound ? 1 : 0);
      }
    }
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, signInTo, { now: () => new Date(Date.now() + aheadMs) });
  describe('the conversation of a ticket', conversation);
});

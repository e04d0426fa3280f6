import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { connect, type Send, signIn } from './people.fixture.ts';

let api: TestApi;
let agent: Send;
let ada: Send;
let bob: Send;
let machine: Send;

type Json = Record<string, unknown>;

async function post(send: Send, path: string, body: unknown): Promise<Json & { id: string }> {
  const { status, json, text } = await send('POST', path, body);
  expect(status, text).toBe(201);
  return json as Json & { id: string };
}

/** Adds a ticket of Ada's with Bob in copy. */
const addTicket = (fields: Json = {}) =>
  post(agent, '/tickets.json', {
    subject: 'x',
    requester: { email: 'ada@example.com' },
    cc: [{ email: 'bob@example.com' }],
    ...fields,
  });

function inCopy(): void {
  test('reads and replies in public', async () => {
    const { id } = await addTicket({ status: 'solved' });
    expect((await bob('GET', `/ticket/${id}.xml`)).status).toBe(200);
    expect(await post(bob, `/ticket/${id}/replies.json`, { body: 'Me too.' })).toMatchObject({
      author: { email: 'bob@example.com' },
      incoming: true,
    });
    const note = await bob('POST', `/ticket/${id}/replies.json`, { body: 'x', visibility: 'internal' });
    expect(note.status).toBe(403);
  });

  test.each([
    ['subject', 'y'],
    ['description', 'y'],
    ['priority', 'urgent'],
    ['type', 'task'],
    ['cc', []],
    ['status', 'solved'],
  ])('leaves %s to the requester and staff', async (field, value) => {
    const { id } = await addTicket();
    for (const method of ['PUT', 'PATCH']) {
      const { status, json } = await bob(method, `/ticket/${id}.json`, { [field]: value });
      expect([status, json.code]).toEqual([403, 'forbidden']);
      expect(json.errors).toMatchObject([{ field, code: 'forbidden' }]);
    }
    expect((await ada('PUT', `/ticket/${id}.json`, { [field]: value })).status).toBe(200);
  });

  test('can’t solve by a reply, and gets an error for each field of an edit', async () => {
    const { id } = await addTicket();
    const solving = await bob('POST', `/ticket/${id}/replies.json`, { body: 'x', status: 'solved' });
    expect([solving.status, solving.json.errors]).toMatchObject([403, [{ field: 'status' }]]);
    const xml = '<ticket><subject>y</subject><priority>low</priority></ticket>';
    const headers = { 'Content-Type': 'application/xml' };
    const { status, text } = await bob('PUT', `/ticket/${id}.xml`, xml, headers);
    expect(status).toBe(403);
    expect(text).toMatch(/<field>subject<.*<field>priority</);
    expect((await ada('POST', `/ticket/${id}/replies.json`, { body: 'x', status: 'solved' })).status).toBe(
      201,
    );
  });

  test('may send the ticket back unchanged', async () => {
    const { id } = await addTicket({ assignee: { email: 'grace@example.com' } });
    const path = `/ticket/${id}.json`;
    const { json } = await bob('GET', path);
    expect((await bob('PUT', path, json)).headers.get('Keydesk-Changed')).toBe('false');
  });
}

/** Reads all that a customer sees of a ticket, in both formats. */
async function readAll(customer: Send, id: string): Promise<string> {
  const paths = [`/ticket/${id}`, `/ticket/${id}/replies`, `/ticket/${id}/events`, '/changes', '/tickets'];
  const answers = await Promise.all(
    paths.flatMap((path) => ['json', 'xml'].map((format) => customer('GET', `${path}.${format}`))),
  );
  answers.push(await customer('GET', `/ticket/${id}.json?include=replies,assignee`));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  return answers.map(({ text }) => text).join('\n');
}

function agents(): void {
  test('are seen by customers with their names, without their addresses', async () => {
    const nameless = signIn(api, 'agent', 'nameless@helpdesk.example');
    const { id } = await addTicket({ assignee: { email: 'grace@example.com' } });
    await post(agent, `/ticket/${id}/replies.json`, { body: 'On it.' });
    await post(nameless, `/ticket/${id}/replies.json`, { body: 'So am I.' });
    await nameless('PUT', `/ticket/${id}.json`, { assignee: { email: 'nameless@helpdesk.example' } });
    await agent('PUT', `/ticket/${id}.json`, { assignee: { email: 'grace@example.com' }, priority: 'high' });
    const seen = await readAll(ada, id);
    expect(seen).not.toMatch(/grace@|nameless@/);
    expect((await ada('GET', `/ticket/${id}.json`)).json.assignee).toMatchObject({
      email: null,
      name: 'Grace',
    });
    const { replies } = (await ada('GET', `/ticket/${id}/replies.json`)).json;
    expect(replies).toMatchObject([
      { author: { type: 'person', email: null, name: 'Grace' } },
      { author: { type: 'person', email: null, name: null } },
    ]);
    expect(await readAll(agent, id)).toMatch(/grace@example\.com[\s\S]*nameless@helpdesk/);
  });

  test('are not found by customers who guess their addresses', async () => {
    await addTicket({ assignee: { email: 'grace@example.com' } });
    for (const address of ['grace@example.com', 'wrong@example.com']) {
      const { status, json } = await ada('GET', `/tickets.json?assignee=${address}`);
      expect([status, json.errors]).toMatchObject([403, [{ field: 'assignee', code: 'forbidden' }]]);
    }
  });

  test('can be assignees, as can people who never signed in; customers can’t', async () => {
    await ada('GET', '/me.json');
    const { status, json } = await agent('POST', '/tickets.json', {
      subject: 'x',
      assignee: { email: 'ada@example.com' },
    });
    expect([status, json.errors]).toMatchObject([400, [{ field: 'assignee', code: 'invalid_value' }]]);
    const { id } = await addTicket({ assignee: { email: 'never-signed-in@example.com' } });
    const { person } = (await agent('GET', '/me.json')).json as { person: { id: string } };
    const path = `/ticket/${id}.json`;
    const byId = await agent('PUT', path, { assignee: { id: person.id } });
    expect(byId.json.assignee).toMatchObject({ id: person.id, email: 'grace@example.com', name: 'Grace' });
    const unknown = { assignee: { id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071' } };
    expect((await agent('PUT', path, unknown)).json.errors).toMatchObject([{ field: 'assignee.id' }]);
    expect((await agent('PATCH', path, { assignee: { email: 'bob@example.com' } })).status).toBe(400);
  });
}

function machines(): void {
  test('write in the name of their client, which is hidden from customers', async () => {
    const { id } = await addTicket();
    const reply = await post(machine, `/ticket/${id}/replies.json`, { body: 'We got your message.' });
    expect(reply.author).toEqual({ type: 'client', id: 'mailer', email: null, name: null });
    const { json } = await ada('GET', `/ticket/${id}/reply/${reply.id}.json`);
    expect(json.author).toEqual({ type: 'client', id: null, email: null, name: null });
    expect(await readAll(ada, id)).not.toContain('mailer');
    expect((await agent('GET', `/ticket/${id}/reply/${reply.id}.xml`)).text).toContain(
      '<author><type>client</type><id>mailer</id><email nil="true"/><name nil="true"/></author>',
    );
  });

  test('choose whether a reply counts as one; replies of people count by default', async () => {
    const answered = async (send: Send, body: Json) => {
      const { id } = await addTicket();
      const reply = await post(send, `/ticket/${id}/replies.json`, { body: 'x', ...body });
      const { json } = await agent('GET', `/ticket/${id}.json`);
      expect(reply.counts_as_reply).toBe(json.first_replied_at !== null);
      expect(json.waiting_since === null).toBe(reply.counts_as_reply);
      return reply.counts_as_reply;
    };
    expect(await answered(machine, {})).toBe(false);
    expect(await answered(machine, { counts_as_reply: true })).toBe(true);
    expect(await answered(agent, {})).toBe(true);
    expect(await answered(agent, { counts_as_reply: false })).toBe(false);
    expect(await answered(agent, { visibility: 'internal' })).toBe(false);
    expect(await answered(machine, { author: { email: 'bob@example.com' } })).toBe(false);
  });

  test('get an error for `counts_as_reply` on a reply that can’t count', async () => {
    const { id } = await addTicket();
    const path = `/ticket/${id}/replies.json`;
    for (const body of [
      { body: 'x', counts_as_reply: true, visibility: 'internal' },
      { body: 'x', counts_as_reply: true, author: { email: 'ada@example.com' } },
    ]) {
      const { status, json } = await machine('POST', path, body);
      expect([status, json.errors]).toMatchObject([400, [{ field: 'counts_as_reply' }]]);
    }
    const { status, json } = await ada('POST', path, { body: 'x', counts_as_reply: false });
    expect([status, json.errors]).toMatchObject([403, [{ field: 'counts_as_reply' }]]);
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, (started) => {
    api = started;
    agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
    ada = signIn(api, 'customer', 'ada@example.com', { name: 'Ada' });
    bob = signIn(api, 'customer', 'bob@example.com');
    machine = connect(api, 'agent', 'mailer');
  });
  describe('a person in copy', inCopy);
  describe('agents', agents);
  describe('machines', machines);
});

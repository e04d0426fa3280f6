import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { type Send, signIn } from './people.fixture.ts';

let api: TestApi;
let agent: Send;
let count = 0;

type Json = Record<string, unknown>;

/** A person with an account, and the path of their resource. */
async function addPerson(name: string | null = null) {
  const email = `person${count++}@example.com`;
  const send = signIn(api, 'customer', email, name === null ? {} : { name });
  const { person } = (await send('GET', '/me.json')).json as { person: Json & { id: string } };
  return { send, email, id: person.id, path: `/person/${person.id}.json` };
}

async function addTicket(send: Send, fields: Json = {}): Promise<string> {
  const { json, status, text } = await send('POST', '/tickets.json', { subject: 'x', ...fields });
  expect(status, text).toBe(201);
  return `/ticket/${json.id}.json`;
}

async function listPaths(send: Send): Promise<string[]> {
  const { tickets } = (await send('GET', '/tickets.json')).json as { tickets: { id: string }[] };
  return tickets.map(({ id }) => `/ticket/${id}.json`);
}

const xmlType = { 'Content-Type': 'application/xml' };

function correcting(): void {
  test('is for staff, changes the given members, and returns the stored person', async () => {
    const { send, path, email } = await addPerson();
    const corrections = {
      name: 'Ada King',
      phone: '+44 20 7946 0958',
      language: 'en-GB',
      time_zone: 'Europe/London',
      notes: 'Prefers to be called.',
      external_id: 'CRM-1',
    };
    const { status, json, headers } = await agent('PATCH', path, corrections);
    expect([status, json]).toMatchObject([200, { ...corrections, email, version: 2 }]);
    expect(headers.get('ETag')).toMatch(/^"2-[0-9a-f]*-json"$/);
    expect((await agent('GET', path)).json).toEqual(json);
    expect((await agent('GET', '/people.json?q=king')).json.people).toMatchObject([{ email }]);
    const again = await agent('PUT', path, json);
    expect([again.status, again.headers.get('Keydesk-Changed'), again.json]).toEqual([200, 'false', json]);
    const xml = '<person><phone nil="true"/><notes>Moved</notes></person>';
    const put = await agent('PUT', path.replace('json', 'xml'), xml, xmlType);
    expect(put.text).toMatch(/<phone nil="true"\/>.*<notes>Moved<\/notes>/);
    expect((await agent('PATCH', path, { notes: null })).json).toMatchObject({ notes: null, phone: null });
    for (const method of ['PUT', 'PATCH']) {
      expect((await send(method, path, { name: 'x' })).status).toBe(403);
    }
  });

  test('of members for staff is hidden from the person, including the version', async () => {
    const { send, path } = await addPerson();
    const before = await send('GET', path);
    await agent('PATCH', path, { notes: 'A secret', external_id: 'CRM-2' });
    const after = await send('GET', path);
    expect([after.text, after.headers.get('ETag')]).toEqual([before.text, before.headers.get('ETag')]);
    await agent('PATCH', path, { phone: '1' });
    expect((await send('GET', path)).json.phone).toBe('1');
  });

  test('of an outdated version returns 412 with the current person (RFC 9110 §13.1.1)', async () => {
    const { path } = await addPerson();
    const { headers, json } = await agent('GET', path);
    const ifMatch = { 'If-Match': headers.get('ETag') ?? '' };
    expect((await agent('PATCH', path, { name: 'First' }, ifMatch)).status).toBe(200);
    for (const [body, given] of [
      [{ name: 'Second' }, ifMatch],
      [{ name: 'Second', version: json.version }, {}],
    ] as const) {
      const stale = await agent('PUT', path, body, given);
      expect([stale.status, stale.json.current]).toMatchObject([412, { name: 'First', version: 2 }]);
    }
    const racers = Array.from({ length: 8 }, (_, i) => agent('PATCH', path, { external_id: `${i}` }));
    expect((await Promise.all(racers)).map(({ status }) => status)).toEqual(racers.map(() => 200));
    expect((await agent('GET', path)).json.version).toBe(10);
  });

  test.each([
    [{ language: 'not a language' }, 'language'],
    [{ time_zone: '+01:00' }, 'time_zone'],
    [{ time_zone: 'Europe/Nowhere' }, 'time_zone'],
    [{ phone: ' ' }, 'phone'],
    [{ role: 'admin' }, 'role'],
    [{ email: 'other@example.com' }, 'email'],
    [{ colour: 'red' }, 'colour'],
  ])('with invalid members is rejected with their names: %j', async (body, field) => {
    const { path } = await addPerson();
    for (const method of ['PUT', 'PATCH']) {
      const { status, json } = await agent(method, path, body);
      expect([status, json.errors]).toMatchObject([400, [{ field }]]);
    }
  });
}

function merging(): void {
  test('moves addresses, accounts, tickets, replies and copies, and keeps both histories', async () => {
    const [one, other] = [await addPerson('One'), await addPerson()];
    await agent('PATCH', one.path, { notes: 'First' });
    await agent('PATCH', other.path, { notes: 'Second', phone: '2' });
    const own = await addTicket(one.send);
    const moved = await addTicket(other.send);
    const both = await addTicket(agent, {
      requester: { email: other.email },
      cc: [{ email: one.email }, { email: other.email }],
      followers: [{ email: other.email }],
    });
    await other.send('POST', moved.replace('.json', '/replies.json'), { body: 'Hello' });
    const { position } = (await one.send('GET', '/changes.json?since=now')).json;
    const merged = await agent('POST', `/person/${one.id}/merge.json`, { person_id: other.id });
    expect(merged.json).toMatchObject({
      id: one.id,
      email: one.email,
      addresses: [one.email, other.email],
      name: 'One',
      phone: '2',
      notes: 'First\n\nSecond',
    });
    const reference = { id: one.id, email: one.email, name: 'One' };
    expect((await agent('GET', moved)).json).toMatchObject({ requester: reference, version: 3 });
    expect((await agent('GET', both)).json).toMatchObject({
      requester: reference,
      cc: [reference],
      followers: [reference],
    });
    const { replies } = (await agent('GET', moved.replace('.json', '/replies.json'))).json;
    expect(replies).toMatchObject([{ author: { type: 'person', ...reference }, version: 2 }]);
    const { events } = (await agent('GET', moved.replace('.json', '/events.json'))).json;
    expect((events as Json[]).at(-1)).toMatchObject({
      type: 'ticket.changed',
      actor: { name: 'Grace' },
      changes: [{ field: 'requester', from: other.email, to: one.email }],
    });
    for (const { send } of [one, other]) {
      // A process may cache the person of an account for a second.
      await expect.poll(() => listPaths(send), { timeout: 10_000 }).toEqual([both, moved, own]);
    }
    const changes = (await one.send('GET', `/changes.json?since=${position}`)).json.changes as Json[];
    expect(changes.map(({ type, ticket_id }) => [type, `/ticket/${ticket_id}.json`])).toEqual(
      expect.arrayContaining([
        ['ticket', moved],
        ['reply', moved],
        ['ticket', both],
      ]),
    );
    for (const address of [one.email, other.email]) {
      const { json } = await agent('GET', `/people.json?q=${address}`);
      expect(json.people).toMatchObject([{ id: one.id }]);
    }
  });

  test('makes the old id a 404 that names the survivor, and keeps it valid in references', async () => {
    const [one, other] = [await addPerson(), await addPerson()];
    const path = `/person/${one.id}/merge.xml`;
    const body = `<merge><person_id>${other.id}</person_id></merge>`;
    expect((await agent('POST', path, body, xmlType)).text).toContain(`<id>${one.id}</id>`);
    const { status, json } = await agent('GET', other.path);
    expect([status, json.detail]).toEqual([404, expect.stringContaining(one.id)]);
    expect((await agent('PATCH', other.path, { name: 'x' })).status).toBe(404);
    const ticket = await addTicket(agent, { requester: { id: other.id } });
    expect((await agent('GET', ticket)).json.requester).toMatchObject({ id: one.id });
    // The client repeats the request of an interrupted merge.
    expect((await agent('POST', path, body, xmlType)).status).toBe(200);
  });

  test('is for staff, and takes two different people', async () => {
    const [one, other] = [await addPerson(), await addPerson()];
    const path = `/person/${one.id}/merge.json`;
    expect((await one.send('POST', path, { person_id: other.id })).status).toBe(403);
    for (const person_id of [one.id, '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071']) {
      const { status, json } = await agent('POST', path, { person_id });
      expect([status, json.errors]).toMatchObject([400, [{ field: 'person_id' }]]);
    }
    const none = '/person/019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071/merge.json';
    expect((await agent('POST', none, { person_id: one.id })).status).toBe(404);
  });

  test('of two people into each other at the same time leaves one of them', async () => {
    const [one, other] = [await addPerson(), await addPerson()];
    const ticket = await addTicket(one.send);
    const answers = await Promise.all([
      agent('POST', `/person/${one.id}/merge.json`, { person_id: other.id }),
      agent('POST', `/person/${other.id}/merge.json`, { person_id: one.id }),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const id = answers.find(({ status }) => status === 200)?.json.id;
    expect((await agent('GET', ticket)).json.requester).toMatchObject({ id });
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, (started) => {
    api = started;
    agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
  });
  describe('correcting a person', correcting);
  describe('merging two people', merging);
});

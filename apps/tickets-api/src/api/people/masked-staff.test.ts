import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFieldCatalogue } from '../../helpdesk/catalogues.ts';
import { createStaffMasking } from '../../helpdesk/jobs/unfinished-work.ts';
import { createMasking } from '../../helpdesk/people/masking.ts';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { addTicketAs, connect, listIds, type Send, signIn } from './people.fixture.ts';

let api: TestApi;
let agent: Send;
let ada: Send;
let machine: Send;
/** An agent who is requester and in copy of tickets. */
let mia: Send;
let address: string;
let miaId: string;
let count = 0;

type Json = Record<string, unknown>;

const newAddress = () => `mia${count++}@helpdesk.example`;
const idOf = async (send: Send) => ((await send('GET', '/me.json')).json.person as { id: string }).id;
const ofAda = (fields: Json = {}) => ({ requester: { email: 'ada@example.com' }, ...fields });
const copied = () => ofAda({ cc: [{ email: address, name: 'Mia' }] });

/** Reads all that a customer sees of a ticket, in both formats, as one text. */
async function readAll(customer: Send, id: string): Promise<string> {
  const paths = [
    `/ticket/${id}`,
    `/ticket/${id}/replies`,
    `/ticket/${id}/events`,
    '/changes',
    '/tickets',
    '/tickets?include=replies,requester,assignee',
    '/tickets?q=printer&highlight=true',
  ];
  const answers = await Promise.all(
    paths.flatMap((path) =>
      ['json', 'xml'].map((format) => customer('GET', path.replace(/(\?|$)/, `.${format}$1`))),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  return answers.map(({ text }) => text).join('\n');
}

async function changesSince(customer: Send, position: unknown): Promise<Json[]> {
  const { json } = await customer('GET', `/changes.json?since=${position}`);
  return json.changes as Json[];
}

const endOfFeed = async (customer: Send) => (await customer('GET', '/changes.json?since=now')).json.position;

/** Runs the job of a process whose clock is ahead, so that no earlier change can still be in progress. */
async function maskStaff(): Promise<void> {
  const now = () => new Date(Date.now() + 60_000);
  const { storage } = api;
  const catalogue = createFieldCatalogue({ store: storage.fields, now });
  const masking = createMasking({ storage, catalogue, now, newId: uuidv7 });
  const log = pino({ level: 'silent' });
  await createStaffMasking({ people: storage.people, masking, log })(new AbortController().signal);
  expect(await storage.people.listPendingMaskings(10)).toEqual([]);
}

function knownStaff(): void {
  beforeEach(async () => {
    address = newAddress();
    mia = signIn(api, 'agent', address, { name: 'Mia' });
    miaId = await idOf(mia);
  });

  test('are shown to customers without their addresses, and to staff with them', async () => {
    const id = await addTicketAs(agent, { ...copied(), subject: 'printer' });
    await agent('PUT', `/ticket/${id}.json`, {
      requester: { email: address },
      cc: [{ id: await idOf(ada) }],
    });
    await agent('PUT', `/ticket/${id}.json`, ofAda({ cc: [{ email: address }] }));
    await machine('POST', `/ticket/${id}/replies.json`, { body: 'By mail.', author: { email: address } });
    expect(await readAll(ada, id)).not.toContain(address);
    const { json } = await ada('GET', `/ticket/${id}.json`);
    expect(json.cc).toEqual([{ id: miaId, email: null, name: 'Mia' }]);
    const { replies } = (await ada('GET', `/ticket/${id}/replies.json`)).json;
    expect(replies).toMatchObject([
      { author: { id: miaId, email: null, name: 'Mia' }, incoming: true, body: 'By mail.' },
    ]);
    expect(await readAll(agent, id)).toMatch(
      new RegExp(`<email>${address}</email>[^]*<incoming>true</incoming>`),
    );
    const { events } = (await ada('GET', `/ticket/${id}/events.json`)).json;
    expect(events).toMatchObject([
      { type: 'ticket.created' },
      {
        changes: [
          { field: 'requester', to: 'Mia' },
          { field: 'cc', from: ['Mia'] },
        ],
      },
      {
        changes: [
          { field: 'requester', from: 'Mia' },
          { field: 'cc', to: ['Mia'] },
        ],
      },
      { type: 'reply.added' },
    ]);
  });

  test('are shown to themselves with their address, even as customers', async () => {
    const id = await addTicketAs(agent, {
      cc: [{ email: address }],
      requester: { email: 'ada@example.com' },
    });
    await machine('POST', `/ticket/${id}/replies.json`, { body: 'By mail.', author: { email: address } });
    const asCustomer = signIn(api, 'customer', address, { name: 'Mia' });
    for (const send of [mia, asCustomer]) {
      expect((await send('GET', `/ticket/${id}.json`)).json.cc).toMatchObject([{ email: address }]);
      const { replies } = (await send('GET', `/ticket/${id}/replies.json`)).json;
      expect(replies).toMatchObject([{ author: { email: address } }]);
    }
    const path = `/ticket/${await addTicketAs(asCustomer)}.json`;
    const { json } = await asCustomer('GET', path);
    expect(json.requester).toMatchObject({ email: address });
    expect((await asCustomer('PUT', path, json)).headers.get('Keydesk-Changed')).toBe('false');
  });

  test('stay unchanged when a customer sends the ticket back, even with a change of `cc`', async () => {
    const path = `/ticket/${await addTicketAs(agent, copied())}`;
    const { json } = await ada('GET', `${path}.json`);
    expect((await ada('PUT', `${path}.json`, json)).headers.get('Keydesk-Changed')).toBe('false');
    const xml = (await ada('GET', `${path}.xml`)).text;
    const asXml = { 'Content-Type': 'application/xml' };
    expect((await ada('PUT', `${path}.xml`, xml, asXml)).headers.get('Keydesk-Changed')).toBe('false');
    const more = { cc: [...(json.cc as Json[]), { email: 'bob@example.com' }] };
    for (const method of ['PUT', 'PATCH']) {
      const { status, json: changed } = await ada(method, `${path}.json`, more);
      expect([status, changed.cc]).toMatchObject([200, [{ id: miaId, email: null }, {}]]);
    }
    expect((await agent('GET', `${path}.json`)).json.cc).toMatchObject([
      { id: miaId, email: address, name: 'Mia' },
      { email: 'bob@example.com' },
    ]);
  });

  test('are masked in the current ticket of a 412 and in replayed responses', async () => {
    const path = `/ticket/${await addTicketAs(agent, copied())}`;
    const edit = { subject: 'y' };
    const stale = await ada('PUT', `${path}.json`, edit, { 'If-Match': '"0"' });
    expect([stale.status, stale.text.includes(address)]).toEqual([412, false]);
    const key = { 'Idempotency-Key': newAddress() };
    const answers = [
      await ada('PUT', `${path}.json`, edit, key),
      await ada('PUT', `${path}.json`, edit, key),
    ];
    expect(answers.map(({ json }) => json.cc)).toMatchObject([[{ email: null }], [{ email: null }]]);
  });

  test('are not found by customers who guess their addresses', async () => {
    const id = await addTicketAs(agent, copied());
    for (const filter of ['cc', 'requester', 'cc[not]', 'requester[not]']) {
      const [right, wrong] = await Promise.all(
        [address, 'wrong@helpdesk.example'].map((each) => listIds(ada, `?${filter}=${each}`)),
      );
      expect(right, filter).toEqual(wrong);
    }
    expect(await listIds(ada, `?cc=${miaId}`)).toEqual([id]);
    expect(await listIds(agent, `?cc=${address}`)).toEqual([id]);
    expect(await listIds(mia, '?cc=me')).toEqual([id]);
    const asCustomer = signIn(api, 'customer', address);
    expect(await listIds(asCustomer, `?cc=${address}`)).toEqual([id]);
  });

  test('stay masked after they become customers, on new tickets as well', async () => {
    const before = await addTicketAs(agent, copied());
    await signIn(api, 'customer', address)('GET', '/me.json');
    const after = await addTicketAs(agent, copied());
    for (const id of [before, after]) expect(await readAll(ada, id)).not.toContain(address);
  });

  test('are masked on the tickets of a person who is merged into them', async () => {
    const other = newAddress();
    const id = await addTicketAs(agent, ofAda({ cc: [{ email: other }] }));
    await agent('PATCH', `/ticket/${id}.json`, { cc: [] });
    await agent('PATCH', `/ticket/${id}.json`, { cc: [{ email: other }] });
    expect(await readAll(ada, id)).toContain(other);
    const { people } = (await agent('GET', `/people.json?q=${other}`)).json as { people: Json[] };
    const merged = await agent('POST', `/person/${miaId}/merge.json`, { person_id: people[0]?.id });
    expect(merged.status).toBe(200);
    await maskStaff();
    expect(await readAll(ada, id)).not.toMatch(new RegExp(`${address}|${other}`));
  });
}

function peopleWhoBecomeStaff(): void {
  beforeEach(() => {
    address = newAddress();
    mia = signIn(api, 'agent', address, { name: 'Mia' });
  });

  test('are masked on existing tickets by their first sign-in', async () => {
    const [id, other] = [await addTicketAs(agent, copied()), await addTicketAs(agent, ofAda())];
    await agent('PATCH', `/ticket/${id}.json`, { cc: [] });
    await agent('PATCH', `/ticket/${id}.json`, { cc: [{ email: address, name: 'Mia' }] });
    await machine('POST', `/ticket/${id}/replies.json`, { body: 'By mail.', author: { email: address } });
    const read = async (of: string) => {
      const { headers, json } = await ada('GET', `/ticket/${of}.json`);
      return { etag: headers.get('ETag'), version: json.version, cc: json.cc };
    };
    const [before, unrelated] = [await read(id), await read(other)];
    expect(before.cc).toMatchObject([{ email: address, name: 'Mia' }]);
    const position = await endOfFeed(ada);
    miaId = await idOf(mia);
    expect(await readAll(ada, id)).not.toContain(address);
    const after = await read(id);
    expect(after).toMatchObject({ version: Number(before.version) + 1, cc: [{ id: miaId, email: null }] });
    expect(after.etag).not.toBe(before.etag);
    expect(await read(other)).toEqual(unrelated);
    expect(await changesSince(ada, position)).toMatchObject([
      { type: 'ticket', id },
      { type: 'reply', ticket_id: id, reply: { author: { email: null }, version: 2 } },
    ]);
    const { events } = (await ada('GET', `/ticket/${id}/events.json`)).json as { events: Json[] };
    expect(events.map(({ type }) => type)).toEqual([
      'ticket.created',
      'ticket.changed',
      'ticket.changed',
      'reply.added',
    ]);
    expect((await agent('GET', `/ticket/${id}.json`)).json.cc).toMatchObject([{ email: address }]);
  });

  test('are masked once: later sign-ins and housekeeping change nothing', async () => {
    const id = await addTicketAs(agent, copied());
    await idOf(mia);
    const { json } = await agent('GET', `/ticket/${id}.json`);
    await idOf(signIn(api, 'admin', address, { iat: Math.floor(Date.now() / 1000) + 5 }));
    const position = await endOfFeed(ada);
    await maskStaff();
    expect((await agent('GET', `/ticket/${id}.json`)).json.version).toBe(json.version);
    expect(await changesSince(ada, position)).toEqual([]);
  });

  test('are masked by housekeeping in events alone, and on restored tickets', async () => {
    const [named, deleted] = [await addTicketAs(agent, copied()), await addTicketAs(agent, copied())];
    await machine('POST', `/ticket/${named}/replies.json`, { body: 'x', author: { email: address } });
    await agent('PATCH', `/ticket/${named}.json`, { cc: [] });
    await agent('DELETE', `/ticket/${deleted}.json`);
    await idOf(mia);
    await maskStaff();
    await agent('POST', `/ticket/${deleted}/restore.json`);
    for (const id of [named, deleted]) expect(await readAll(ada, id)).not.toContain(address);
  });

  test('are masked in a replayed response that was recorded earlier', async () => {
    const fields = { subject: 'x', cc: [{ email: address, name: 'Mia' }] };
    const key = { 'Idempotency-Key': newAddress() };
    const create = () => ada('POST', '/tickets.json', fields, key);
    expect((await create()).json.cc).toMatchObject([{ email: address, name: 'Mia' }]);
    await idOf(mia);
    const { headers, json } = await create();
    expect(headers.get('Idempotency-Replayed')).toBe('true');
    expect(json.cc).toMatchObject([{ email: null, name: 'Mia' }]);
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, async (started) => {
    api = started;
    agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
    ada = signIn(api, 'customer', 'ada@example.com', { name: 'Ada' });
    machine = connect(api, 'agent');
    await idOf(ada);
  });

  describe('agents who are requester or in copy of tickets', knownStaff);
  describe('people who become staff', peopleWhoBecomeStaff);
});

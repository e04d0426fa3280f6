import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../../api/people/people.fixture.ts';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { startApi, type TestApi } from '../../tests/api.fixture.ts';
import { erasePerson, previewErasure } from './erase-person.ts';

const EMAIL = 'ada.quillfeather@example.com';

/** Creates data that contains an address in every possible place. */
async function leaveTraces(api: TestApi) {
  const ada = signIn(api, 'customer', EMAIL, { name: 'Ada Quillfeather' });
  const agent = signIn(api, 'agent', 'agent@example.com', { name: 'Agent' });
  const key = { 'Idempotency-Key': 'once' };
  const own = (await ada('POST', '/tickets.json', { subject: `I am ${EMAIL}` }, key)).json;
  await ada('POST', `/ticket/${own.id}/replies.json`, { body: `Write to ADA.QUILLFEATHER@example.com!` });
  const other = (
    await agent('POST', '/tickets.json', {
      subject: 'Another request',
      requester: { email: 'bob@example.com' },
    })
  ).json;
  await agent('PUT', `/ticket/${other.id}.json`, {
    cc: [{ email: EMAIL }],
    tags: [EMAIL],
    custom_fields: {},
  });
  await agent('PUT', `/ticket/${other.id}.json`, { followers: [{ email: EMAIL }] });
  await agent('POST', `/ticket/${other.id}/replies.json`, {
    body: 'An internal note',
    visibility: 'internal',
    author: { email: EMAIL },
  });
  const deleted = (
    await agent('POST', '/tickets.json', { subject: 'Deleted', followers: [{ email: EMAIL }] })
  ).json;
  await agent('DELETE', `/ticket/${deleted.id}.json`);
  const unrelated = (await agent('POST', '/tickets.json', { subject: 'From nada@example.com' })).json;
  return { agent, own, other, deleted, unrelated };
}

function erasureContract(createDatabase: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let api: TestApi;
  beforeAll(async () => {
    database = await createDatabase();
    api = await startApi({ storageUrl: database.storageUrl });
  });
  afterAll(async () => {
    await api.stop();
    await database.drop();
  });
  const deps = () => ({ storage: api.storage, now: () => new Date(), newId: uuidv7 });

  it('removes address and name everywhere in the database and keeps all other text', async () => {
    const { agent, own, other, deleted, unrelated } = await leaveTraces(api);
    expect(await previewErasure(deps(), EMAIL)).toEqual({ isKnown: true, tickets: 3 });
    expect(await database.dump()).toMatch(/quillfeather/i);

    const person = (await api.storage.people.findByEmail(EMAIL))?.person;
    const before = await api.storage.changes.bounds('staff');
    expect(await erasePerson(deps(), EMAIL)).toEqual({ isKnown: true, tickets: 3 });

    await api.storage.erasure.compact();
    const dump = await database.dump();
    // Neither in the address, nor in the name, nor as a word of the search index.
    expect(dump).not.toMatch(/quillfeather/i);

    const placeholder = `${person?.id}@erased.invalid`;
    const erased = { id: person?.id, email: placeholder, name: null };
    const { json: ticket } = await agent('GET', `/ticket/${own.id}.json`);
    expect(ticket).toMatchObject({
      subject: 'I am [erased]',
      requester: erased,
      version: Number(ticket.version),
    });
    expect((await agent('GET', `/ticket/${own.id}/replies.json`)).json).toMatchObject({
      replies: [{ author: erased, body: 'Write to [erased]!' }],
    });
    expect((await agent('GET', `/ticket/${other.id}.json`)).json).toMatchObject({
      cc: [erased],
      followers: [erased],
    });
    expect((await agent('GET', `/person/${person?.id}.json`)).json).toMatchObject(erased);
    expect((await agent('GET', `/ticket/${unrelated.id}.json`)).json).toEqual(unrelated);
    expect((await api.storage.tickets.find(String(deleted.id)))?.ticket.followers).toEqual([erased]);

    const changes = await api.storage.changes.list({ reader: 'staff', after: before.last, limit: 100 });
    expect(new Set(changes.map(({ ticketId }) => ticketId))).toEqual(new Set([own.id, other.id]));
  });

  it('is effective in a running API within a second: the address then belongs to a new person', async () => {
    const email = 'bob.quillfeather@example.com';
    const bob = signIn(api, 'customer', email);
    const { json: before } = await bob('POST', '/tickets.json', { subject: 'before' });
    await erasePerson(deps(), email);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await bob('GET', '/tickets.json')).json.tickets).toEqual([]);
    const { json: after } = await bob('POST', '/tickets.json', { subject: 'after' });
    const [erased, current] = [before, after].map(({ requester }) => (requester as { id: string }).id);
    expect(current).not.toBe(erased);
    expect(await erasePerson(deps(), email)).toEqual({ isKnown: true, tickets: 1 });
  });

  it('erases administrators in the events of definitions', async () => {
    const email = 'root.quillfeather@example.com';
    const root = signIn(api, 'admin', email, { name: 'Root Quillfeather' });
    const type = { id: 'change', title: `Ask ${email}` };
    expect((await root('POST', '/ticket_types.json', type)).status).toBe(201);
    const { status } = await root('PUT', '/ticket_type/change.json', { title: 'Change' });
    expect(status).toBe(200);
    await erasePerson(deps(), email);
    const agent = signIn(api, 'agent', 'agent@example.com');
    const { json } = await agent('GET', '/events.json?type=ticket_type&sort=created_at');
    expect(json.events).toMatchObject([
      { type: 'ticket_type.created', actor: { type: 'person', name: null } },
      { changes: [{ field: 'title', from: 'Ask [erased]', to: 'Change' }], actor: { name: null } },
    ]);
  });

  it('is a no-op the second time', async () => {
    expect(await erasePerson(deps(), EMAIL)).toEqual({ isKnown: false, tickets: 0 });
  });
}

onEveryEngine((createDatabase) => {
  describe('the erasure of a person', () => erasureContract(createDatabase));
});

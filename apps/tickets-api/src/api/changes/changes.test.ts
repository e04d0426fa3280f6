import { describe, expect, test } from 'vitest';
import { adding } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import { newFeedEntry } from '../../helpdesk/feed/new-feed-entry.fixture.ts';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { connect, type Send, signIn } from '../people/people.fixture.ts';
import { newTicket } from '../tickets/new-ticket.fixture.ts';
import { createCopy, readChanges, readLists, readToTheEnd } from './follower.fixture.ts';

/** Tests of `GET /changes`, page by page. */
function changesOfApi(createDatabase: () => Promise<TestDatabase>): void {
  let api: TestApi;
  let agent: Send;
  let admin: Send;
  let customers = 0;
  useApi(createDatabase, (started) => {
    api = started;
    agent = signIn(api, 'agent', 'grace@example.com');
    admin = signIn(api, 'admin', 'root@example.com');
  });

  /** Creates a new customer for each test. */
  function newCustomer(): { email: string; send: Send } {
    const email = `customer-${++customers}@example.com`;
    return { email, send: signIn(api, 'customer', email) };
  }

  async function add(send: Send, path: string, body: object): Promise<string> {
    const { json, text, status } = await send('POST', path, body);
    expect(status, text).toBe(201);
    return String(json.id);
  }
  const addTicket = (email: string, fields: object = {}) =>
    add(agent, '/tickets.json', { subject: 'x', requester: { email }, ...fields });

  test('have another fields_tag only after changes of definitions that the reader sees', async () => {
    const { email, send } = newCustomer();
    await addTicket(email);
    const tags = async () => [
      (await readChanges(agent, '?since=now')).fields_tag,
      (await readChanges(send, '')).fields_tag,
    ];
    const observed = [await tags()];
    const id = await add(admin, '/ticket_fields.json', { key: 'floor', title: 'Floor', type: 'integer' });
    observed.push(await tags());
    for (const edit of [
      { visible_to_customers: true },
      { title: 'Storey' },
      { visible_to_customers: false },
    ]) {
      expect((await admin('PUT', `/ticket_field/${id}.json`, edit)).status).toBe(200);
      observed.push(await tags());
    }
    expect((await admin('DELETE', `/ticket_field/${id}.json`)).status).toBe(200);
    observed.push(await tags());
    const toNumbers = (each: (string | undefined)[]) => each.map((tag) => each.indexOf(tag));
    expect(toNumbers(observed.map(([ofStaff]) => ofStaff))).toEqual([0, 1, 2, 3, 4, 0]);
    expect(toNumbers(observed.map(([, ofCustomer]) => ofCustomer))).toEqual([0, 0, 2, 3, 0, 0]);
    expect((await send('GET', '/changes.xml')).text).toContain(` fields_tag="${observed[0]?.[1]}">`);
  });

  test('return in pages the same resources as the lists, to staff and to customers', async () => {
    const { email, send } = newCustomer();
    for (let i = 0; i < 3; i++) {
      const id = await addTicket(email, { tags: ['vip'] });
      await add(agent, `/ticket/${id}/replies.json`, { body: 'hello' });
      await add(agent, `/ticket/${id}/replies.json`, { body: 'a note', visibility: 'internal' });
    }
    for (const reader of [agent, send]) {
      const copy = createCopy();
      await readToTheEnd(reader, { copy });
      expect(copy.resources()).toEqual(await readLists(reader));
    }
  });

  test('have only the ids of what was deleted, purged or withdrawn', async () => {
    const { email, send } = newCustomer();
    const ids = [];
    for (let i = 0; i < 3; i++) {
      const id = await addTicket('requester@example.com', { cc: [{ email }] });
      ids.push([id, await add(agent, `/ticket/${id}/replies.json`, { body: 'hello' })] as const);
    }
    const copy = createCopy();
    const since = await readToTheEnd(send, { copy });
    expect(Object.keys(copy.resources())).toHaveLength(6);
    const [deleted, purged, withdrawn] = ids.map(([id]) => id);
    await agent('DELETE', `/ticket/${deleted}.json`);
    await admin('DELETE', `/ticket/${purged}.json?purge=true`);
    await agent('PUT', `/ticket/${withdrawn}.json`, { cc: [] });

    const { changes, has_more } = await readChanges(send, `?since=${since}`);
    expect(has_more).toBe(false);
    const tombstone = { deleted: true, ticket: null, reply: null, changed_at: expect.any(String) };
    const expected = ids.flatMap(([ticket_id, reply]) => [
      { type: 'ticket', id: ticket_id, ticket_id, ...tombstone },
      { type: 'reply', id: reply, ticket_id, ...tombstone },
    ]);
    expect(changes).toHaveLength(6);
    expect(changes).toEqual(expect.arrayContaining(expected));
  });

  test('include a restored ticket and its replies again', async () => {
    const { email, send } = newCustomer();
    const id = await addTicket(email);
    await add(agent, `/ticket/${id}/replies.json`, { body: 'hello' });
    const copy = createCopy();
    const since = await readToTheEnd(send, { copy });
    await agent('DELETE', `/ticket/${id}.json`);
    const afterDeletion = await readToTheEnd(send, { copy, since });
    expect(copy.resources()).toEqual({});
    await agent('POST', `/ticket/${id}/restore.json`);
    await readToTheEnd(send, { copy, since: afterDeletion });
    expect(copy.resources()).toEqual(await readLists(send));
    expect(Object.keys(copy.resources())).toHaveLength(2);
  });

  test('of a customer are not affected by internal changes of staff', async () => {
    const { email, send } = newCustomer();
    const id = await addTicket(email);
    const before = await send('GET', '/changes.json?since=now');
    const whole = await send('GET', '/changes.json');
    const note = await add(agent, `/ticket/${id}/replies.json`, { body: 'a note', visibility: 'internal' });
    await admin('PUT', `/ticket/${id}/reply/${note}.json`, { body: 'another' });
    await admin('DELETE', `/ticket/${id}/reply/${note}.json`);
    await agent('PUT', `/ticket/${id}.json`, { tags: ['vip'], external_id: 'CRM-7' });
    await addTicket('requester@example.com');
    expect((await send('GET', '/changes.json?since=now')).text).toBe(before.text);
    const again = await send('GET', '/changes.json');
    expect([again.text, again.headers.get('ETag')]).toEqual([whole.text, whole.headers.get('ETag')]);
    expect(await readChanges(send, `?since=${before.json.position}`)).toEqual(before.json);
  });

  test('check visibility when they are read, not only when they were written', async () => {
    const { email, send } = newCustomer();
    const own = await addTicket(email);
    const { json: me } = await send('GET', '/me.json');
    const reader = (me.person as { id: string }).id;
    const foreign = newTicket();
    const note = await add(agent, `/ticket/${own}/replies.json`, { body: 'a note', visibility: 'internal' });
    const { position } = await readChanges(send, '?since=now');
    const feedEntries = [
      newFeedEntry(foreign.id, { reader }),
      newFeedEntry(own, { reader, resource: 'reply', id: note }),
    ];
    await api.storage.tickets.commit([adding(foreign, { feedEntries })]);
    expect((await readChanges(send, `?since=${position}`)).changes).toMatchObject([
      { id: foreign.id, deleted: true, ticket: null },
      { id: note, deleted: true, reply: null },
    ]);
  });

  test('are 304 for a matching entity tag', async () => {
    const { email, send } = newCustomer();
    const id = await addTicket(email);
    const { headers } = await send('GET', '/changes.json');
    const cached = { 'If-None-Match': headers.get('ETag') ?? '' };
    expect((await send('GET', '/changes.json', undefined, cached)).status).toBe(304);
    await agent('PUT', `/ticket/${id}.json`, { subject: 'y' });
    expect((await send('GET', '/changes.json', undefined, cached)).status).toBe(200);
  });

  test('have the same content in XML', async () => {
    const { email, send } = newCustomer();
    await addTicket(email, { subject: 'one & two' });
    const { position, fields_tag } = await readChanges(send, '');
    const { text } = await send('GET', '/changes.xml');
    const attributes = `position="${position}" has_more="false" fields_tag="${fields_tag}"`;
    expect(text).toContain(`<changes ${attributes}><change><type>ticket</type>`);
    expect(text).toContain('<subject>one &amp; two</subject>');
    expect(text).toContain('<reply nil="true"/>');
  });

  test('reject positions of other callers', async () => {
    const [one, other] = [newCustomer(), newCustomer()];
    await addTicket(one.email, { cc: [{ email: other.email }] });
    const { position } = await readChanges(one.send, '');
    const ofStaff = await readChanges(agent, '?limit=1');
    const tried: [Send, string][] = [
      [other.send, position],
      [agent, position],
      [one.send, ofStaff.position],
      [one.send, 'WzEsMV0'],
      [one.send, 'nonsense'],
      [one.send, Buffer.from('[-1,0,""]').toString('base64url')],
      [agent, (await readChanges(newCustomer().send, '')).position],
    ];
    for (const [send, since] of tried) {
      const { status, json } = await send('GET', `/changes.json?since=${since}`);
      expect([status, json.code, json.errors], since).toEqual([
        400,
        'validation_failed',
        [{ field: 'since', code: 'invalid_value', message: expect.any(String) }],
      ]);
    }
    expect((await connect(api, 'admin')('GET', `/changes.json?since=${ofStaff.position}`)).status).toBe(200);
  });

  test('of a new customer begin with their first ticket', async () => {
    const { email, send } = newCustomer();
    const { changes, position } = await readChanges(send, '');
    expect(changes).toEqual([]);
    expect((await readChanges(send, `?since=${position}`)).changes).toEqual([]);
    const id = await addTicket(email);
    // The person of an address is cached briefly.
    const later = signIn(api, 'customer', email, { jti: 'another' });
    await expect.poll(async () => (await readChanges(later, `?since=${position}`)).changes).toHaveLength(1);
    expect((await readChanges(send, `?since=${position}`)).changes).toMatchObject([{ id, deleted: false }]);
  });

  test('reject positions that predate a restored backup with 410', async () => {
    const { email, send } = newCustomer();
    const ids = [await addTicket(email)];
    const { position } = await readChanges(send, '');
    await api.storage.changes.restart();
    ids.push(await addTicket(email), await addTicket(email));
    const { status, json } = await send('GET', `/changes.json?since=${position}`);
    expect([status, json.code]).toEqual([410, 'position_expired']);
    const copy = createCopy();
    await readToTheEnd(send, { copy, limit: 1 });
    expect(Object.keys(copy.resources()).toSorted()).toEqual(ids.map((id) => `ticket ${id}`).toSorted());
    const { position: now } = await readChanges(send, '?since=now');
    expect((await readChanges(send, `?since=${now}`)).changes).toEqual([]);
  });

  test('reject positions before purged tombstones with 410 and instructions', async () => {
    const { email, send } = newCustomer();
    const [existing, deleted] = [await addTicket(email), await addTicket(email)];
    const { position } = await readChanges(send, '');
    const first = await readChanges(send, '?limit=1');
    await agent('DELETE', `/ticket/${deleted}.json`);
    const informed = await readChanges(send, `?since=${position}`);
    while ((await api.storage.changes.purgeTombstones(new Date(Date.now() + 60_000), 100)) > 0);

    for (const since of [position, first.position]) {
      const { status, json } = await send('GET', `/changes.json?since=${since}`);
      expect([status, json.code]).toEqual([410, 'position_expired']);
      expect(json.detail).toMatch(/Start over/);
    }
    expect((await readChanges(send, `?since=${informed.position}`)).changes).toEqual([]);
    const copy = createCopy();
    await readToTheEnd(send, { copy, limit: 1 });
    expect(Object.keys(copy.resources())).toEqual([`ticket ${existing}`]);
  });

  test('since now are only later ones', async () => {
    const { email, send } = newCustomer();
    await addTicket(email);
    const { changes, position, has_more } = await readChanges(send, '?since=now');
    expect([changes, has_more]).toEqual([[], false]);
    const id = await addTicket(email);
    expect((await readChanges(send, `?since=${position}`)).changes).toMatchObject([{ id }]);
  });

  test.each(['limit=0', 'limit=1001', 'wait=61', 'wait=-1', 'wait=x', 'since=', 'after=1', 'wait=1&wait=2'])(
    'are 400 for invalid parameters: %s',
    async (query) => {
      expect((await agent('GET', `/changes.json?${query}`)).status).toBe(400);
    },
  );
}

onEveryEngine((createDatabase) => describe('changes', () => changesOfApi(createDatabase)));

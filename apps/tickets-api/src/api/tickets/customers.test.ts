import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { addTicketAs, connect, listIds, type Send, signIn } from '../people/people.fixture.ts';

let api: TestApi;
let agent: Send;
let ada: Send;
let bob: Send;

function customers(): void {
  test('sees only tickets that they requested or are copied on', async () => {
    const own = await addTicketAs(ada);
    const copied = await addTicketAs(agent, { cc: [{ email: 'ada@example.com' }] });
    const foreign = await addTicketAs(bob);
    expect(await listIds(ada)).toEqual(expect.arrayContaining([own, copied]));
    expect(await listIds(ada)).not.toContain(foreign);
    for (const path of ['', '/replies', '/events', '/restore']) {
      const method = path === '/restore' ? 'POST' : 'GET';
      expect((await ada(method, `/ticket/${foreign}${path}.json`)).status).toBe(404);
    }
    for (const [method, body] of [
      ['PUT', {}],
      ['PATCH', {}],
      ['DELETE', undefined],
    ] as const) {
      expect((await ada(method, `/ticket/${foreign}.json`, body)).status).toBe(404);
    }
    expect((await ada('POST', `/ticket/${foreign}/replies.json`, { body: 'x' })).status).toBe(404);
  });

  test('gets the same answer for any deleted ticket as for one that never existed', async () => {
    const [own, foreign] = [await addTicketAs(ada), await addTicketAs(bob)];
    for (const id of [own, foreign]) await agent('DELETE', `/ticket/${id}.json`);
    expect((await agent('GET', `/ticket/${own}.json`)).json.detail).toContain('deleted');
    const never = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';
    for (const path of ['', '/replies', '/events', '/restore']) {
      const method = path === '/restore' ? 'POST' : 'GET';
      const answers = await Promise.all(
        [own, foreign, never].map((id) => ada(method, `/ticket/${id}${path}.json`)),
      );
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect(new Set(answers.map(({ json }) => json.detail)).size).toBe(1);
    }
  });

  test('owns the tickets of their verified address that were opened before they had an account', async () => {
    const id = await addTicketAs(agent, { requester: { email: 'Early@Example.com' } });
    const early = signIn(api, 'customer', 'early@example.com');
    expect(await listIds(early)).toEqual([id]);
  });

  test.each([
    ['not verified', { email_verified: false }],
    ['verified by a string', { email_verified: 'true' }],
    ['missing', { email: undefined }],
  ])('whose address is %s sees no ticket and creates none', async (_, claims) => {
    const id = await addTicketAs(ada);
    const unverified = signIn(api, 'customer', 'ada@example.com', { sub: 'another account', ...claims });
    expect(await listIds(unverified)).toEqual([]);
    expect((await unverified('GET', `/ticket/${id}.json`)).status).toBe(404);
    const refused = await unverified('POST', '/tickets.json', { subject: 'x' });
    expect(refused.status).toBe(403);
    expect(refused.json.detail).toContain('not verified');
  });

  test('creates tickets only in their own name', async () => {
    const id = await addTicketAs(ada, { requester: { email: 'ada@example.com' } });
    const { json } = await ada('GET', `/ticket/${id}.json`);
    expect(json.requester).toMatchObject({ email: 'ada@example.com', name: 'Ada' });
    const other = await ada('POST', '/tickets.json', {
      subject: 'x',
      requester: { email: 'bob@example.com' },
    });
    expect(other.status).toBe(403);
    expect(other.json.errors).toMatchObject([{ field: 'requester' }]);
  });

  test('cannot set the first status of their ticket', async () => {
    await addTicketAs(ada, { status: 'new' });
    const refused = await ada('POST', '/tickets.json', { subject: 'x', status: 'solved' });
    expect([refused.status, refused.json.errors]).toMatchObject([403, [{ field: 'status' }]]);
  });

  test('changes and solves their ticket; every other field is rejected by name', async () => {
    const id = await addTicketAs(ada);
    const changed = await ada('PUT', `/ticket/${id}.json`, {
      subject: 'y',
      priority: 'high',
      status: 'solved',
    });
    expect(changed.json).toMatchObject({ subject: 'y', priority: 'high', status: 'solved', version: 2 });
    const refused = await ada('PUT', `/ticket/${id}.json`, {
      tags: ['a'],
      external_id: 'b',
      followers: [{ email: 'c@example.com' }],
      custom_fields: { floor: 1 },
      assignee: { email: 'c@example.com' },
      status: 'open',
    });
    expect(refused.status).toBe(403);
    const fields = (refused.json.errors as { field: string }[]).map(({ field }) => field);
    expect(fields.sort()).toEqual(
      ['assignee', 'custom_fields.floor', 'external_id', 'followers', 'status', 'tags'].sort(),
    );
    expect((await ada('DELETE', `/ticket/${id}.json`)).status).toBe(403);
    expect((await ada('GET', '/tickets.json?deleted=true')).status).toBe(403);
  });

  test('may send back the ticket that they read, without reverting hidden fields', async () => {
    const id = await addTicketAs(ada);
    const hidden = { tags: ['vip'], custom_fields: { floor: 3 }, followers: [{ email: 'boss@example.com' }] };
    await agent('PUT', `/ticket/${id}.json`, hidden);
    const { json: read } = await ada('GET', `/ticket/${id}.json`);
    expect(read).toMatchObject({ tags: [], custom_fields: {}, followers: [], version: 1 });
    const put = await ada('PUT', `/ticket/${id}.json`, { ...read, subject: 'z' });
    expect(put.status, put.text).toBe(200);
    expect((await agent('GET', `/ticket/${id}.json`)).json).toMatchObject({
      subject: 'z',
      tags: ['vip'],
      custom_fields: { floor: 3 },
      version: 3,
    });
  });

  test('gets 412 to If-Match only after changes of their view (RFC 9110 §13.1.1)', async () => {
    const id = await addTicketAs(ada);
    const etag = String((await ada('GET', `/ticket/${id}.json`)).headers.get('ETag'));
    await agent('PUT', `/ticket/${id}.json`, { tags: ['hidden'] });
    const ifMatch = { 'If-Match': etag };
    expect((await ada('PUT', `/ticket/${id}.json`, { subject: 'mine' }, ifMatch)).status).toBe(200);
    const stale = await ada('PUT', `/ticket/${id}.json`, { subject: 'late' }, ifMatch);
    expect(stale.status).toBe(412);
    expect(stale.json.current).toMatchObject({ subject: 'mine', tags: [], version: 2 });
  });

  test('never shares an entity tag with staff (RFC 9110 §8.8.3)', async () => {
    const id = await addTicketAs(ada);
    for (const path of [
      `/ticket/${id}.json`,
      `/ticket/${id}/events.json`,
      '/tickets.json',
      '/changes.json',
    ]) {
      const [theirs, ours] = await Promise.all([ada, agent].map((send) => send('GET', path)));
      expect(theirs?.headers.get('ETag'), path).not.toBe(ours?.headers.get('ETag'));
    }
  });

  test('who is no longer copied on a ticket no longer sees it', async () => {
    const id = await addTicketAs(agent, { cc: [{ email: 'bob@example.com' }] });
    expect((await bob('GET', `/ticket/${id}.json`)).status).toBe(200);
    await agent('PUT', `/ticket/${id}.json`, { cc: [] });
    expect((await bob('GET', `/ticket/${id}.json`)).status).toBe(404);
    expect(await listIds(bob)).not.toContain(id);
  });

  test('cannot find out who follows a ticket by naming them', async () => {
    const id = await addTicketAs(agent, {
      requester: { email: 'ada@example.com' },
      followers: [{ email: 'boss@example.com', name: 'The Boss' }],
    });
    const { json } = await ada('PATCH', `/ticket/${id}.json`, { cc: [{ email: 'boss@example.com' }] });
    expect(json.cc).toMatchObject([{ email: 'boss@example.com', name: null }]);
  });

  test('follows up their closed ticket, and no other ticket is revealed', async () => {
    const old = await addTicketAs(agent, { requester: { email: 'ada@example.com' }, status: 'closed' });
    const id = await addTicketAs(ada, { follow_up_of: old });
    for (const each of [id, old])
      expect((await ada('GET', `/ticket/${each}.json`)).json).toMatchObject({
        follow_up_of: null,
        links: [],
      });
    expect((await agent('GET', `/ticket/${id}.json`)).json.follow_up_of).toBe(old);
  });

  test('names people only for readers of that ticket', async () => {
    const id = await addTicketAs(ada, { cc: [{ email: 'carl@example.com', name: 'A Fool' }] });
    expect((await ada('GET', `/ticket/${id}.json`)).json.cc).toMatchObject([{ name: 'A Fool' }]);
    const { json } = await agent('GET', '/people.json?q=carl@example.com');
    expect(json.people).toMatchObject([{ email: 'carl@example.com', name: null }]);
  });

  test('gets no data of people whom they name', async () => {
    await addTicketAs(agent, { requester: { email: 'secret@example.com', name: 'Real Name' } });
    const { json } = await ada('POST', '/tickets.json', {
      subject: 'x',
      cc: [{ email: 'secret@example.com' }],
    });
    expect(json.cc).toMatchObject([{ email: 'secret@example.com', name: null }]);
  });

  test('cannot derive from the id of a named person when they were first stored (CWE-204, RFC 9562 §6.12)', async () => {
    await addTicketAs(agent, { requester: { email: 'long-known@example.com' } });
    const { json } = await ada('POST', '/tickets.json', {
      subject: 'x',
      cc: [{ email: 'long-known@example.com' }],
    });
    const [copied] = json.cc as [{ id: string }];
    const { created_at } = (await agent('GET', `/person/${copied.id}.json`)).json;
    const timeInId = Number.parseInt(copied.id.replace('-', '').slice(0, 12), 16);
    expect(Math.abs(timeInId - Date.parse(String(created_at)))).toBeGreaterThan(86_400_000);
  });
}

function people(): void {
  test('are found by the prefix of their address or name, only by staff', async () => {
    await addTicketAs(agent, { requester: { email: 'zoe@example.com', name: 'Zoe van Quux' } });
    for (const q of ['zoe@', 'ZOE', 'quux']) {
      const { json } = await agent('GET', `/people.json?q=${q}`);
      expect(json.people, q).toMatchObject([{ email: 'zoe@example.com', name: 'Zoe van Quux' }]);
    }
    expect((await ada('GET', '/people.json')).status).toBe(403);
  });

  test('are listed page by page, each once', async () => {
    const seen: string[] = [];
    let cursor: unknown = '';
    do {
      const { json } = await agent('GET', `/people.json?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...(json.people as { email: string }[]).map(({ email }) => email));
      cursor = json.next_cursor;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual([...seen].sort());
    expect(seen).toContain('ada@example.com');
    const { json } = await agent('GET', '/people.json?limit=1');
    expect((await agent('GET', `/people.json?limit=1&cursor=${json.next_cursor}`)).status).toBe(200);
    expect((await agent('GET', `/people.json?q=z&cursor=${json.next_cursor}`)).status).toBe(400);
  });

  test('can be fetched by staff; customers can fetch only themselves', async () => {
    await addTicketAs(ada);
    const { json: me } = await ada('GET', '/me.json');
    const { id } = me.person as { id: string };
    expect(me).toMatchObject({
      role: 'customer',
      client_id: 'mobile-app',
      person: { email: 'ada@example.com' },
    });
    const etag = expect.any(String);
    const person = { ...(me.person as object), etag };
    expect((await ada('GET', `/person/${id}.json`)).json).toEqual(person);
    const ofStaff = { notes: null, external_id: null, role: 'customer' };
    const forStaff = { ...ofStaff, updated_at: expect.any(String), version: 1 };
    expect((await agent('GET', `/person/${id}.json`)).json).toEqual({
      ...person,
      ...forStaff,
    });
    expect((await bob('GET', `/person/${id}.json`)).status).toBe(404);
  });

  test('are all users who have signed in, except clients without a user and customers without a verified address', async () => {
    const reader = signIn(api, 'customer', 'Reader@example.com', { name: 'Rea Der' });
    const me = { email: 'reader@example.com', name: 'Rea Der' };
    expect((await reader('GET', '/me.json')).json).toMatchObject({ ...me, person: me });
    expect((await agent('GET', '/people.json?q=reader')).json.people).toMatchObject([me]);
    const nobody = signIn(api, 'customer', 'nobody@example.com', { email_verified: false });
    expect((await nobody('GET', '/me.json')).json).toMatchObject({ person: null, email: null });
    expect((await agent('GET', '/people.json?q=nobody')).json.people).toEqual([]);
    expect((await connect(api, 'agent')('GET', '/me.json')).json).toMatchObject({
      person: null,
      email: null,
      name: null,
      client_id: 'machine',
    });
  });

  test('are named by their address, and an id must match the address', async () => {
    const { json } = await agent('POST', '/tickets.json', {
      subject: 'x',
      assignee: { email: 'zoe@example.com', id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071' },
    });
    expect(json.errors).toMatchObject([{ field: 'assignee.id', code: 'invalid_value' }]);
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, (started) => {
    api = started;
    agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
    ada = signIn(api, 'customer', 'ada@example.com', { name: 'Ada' });
    bob = signIn(api, 'customer', 'bob@example.com');
  });
  describe('a customer', customers);
  describe('people', people);
});

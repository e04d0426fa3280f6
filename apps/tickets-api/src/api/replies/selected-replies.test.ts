import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';

let agent: Send;
let customer: Send;
let path = '';

onEveryEngine((createDatabase) => {
  useApi(createDatabase, async (api) => {
    agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
    customer = signIn(api, 'customer', 'ada@example.com');
    path = `/ticket/${(await api.addTicket({ requester: { email: 'ada@example.com' } })).id}`;
    for (const body of ['one', 'two', 'three']) await agent('POST', `${path}/replies.json`, { body });
    await agent('POST', `${path}/replies.json`, { body: 'four', visibility: 'internal' });
  });

  describe.each([
    ['replies', 'body', 'author'],
    ['events', 'type', 'actor'],
  ])('the %s of a ticket', (list, field, other) => {
    test('have the selected fields and their id, in JSON and XML', async () => {
      const { json } = await agent('GET', `${path}/${list}.json?fields=${field}&limit=2`);
      const items = json[list] as Record<string, unknown>[];
      expect(items.map((item) => Object.keys(item).sort())).toEqual(Array(2).fill([field, 'id'].sort()));
      const next = `fields=${field},${other}&limit=2&cursor=${json.next_cursor}`;
      const { text } = await agent('GET', `${path}/${list}.xml?${next}`);
      expect(text).toContain(`<${field}>`);
      expect(text).toContain(`<${other}>`);
      expect(text).not.toContain('<created_at>');
    });

    test('have an entity tag per selection of fields, and return 304 for the same tag', async () => {
      const get = (fields: string, known = '') =>
        agent('GET', `${path}/${list}.json?fields=${fields}`, undefined, { 'If-None-Match': known });
      const [one, both] = [await get(field), await get(`${field},${other}`)];
      const etag = one.headers.get('ETag') ?? '';
      expect(both.headers.get('ETag')).not.toBe(etag);
      expect((await get(field, etag)).status).toBe(304);
    });

    test('are counted only if the caller can see them', async () => {
      for (const send of [agent, customer]) {
        const all = (await send('GET', `${path}/${list}.json?limit=100`)).json[list] as unknown[];
        const { json } = await send('GET', `${path}/${list}.json?limit=1&total=true`);
        expect([json.total, json.total_is_exact]).toEqual([all.length, true]);
      }
      const totals = [agent, customer].map(
        async (send) => (await send('GET', `${path}/${list}.json?total=true`)).json.total as number,
      );
      const [ofStaff = 0, ofCustomer = 0] = await Promise.all(totals);
      expect(ofCustomer).toBe(ofStaff - 1);
    });

    test.each(['fields=colour', 'sort=body', 'total=yes', 'fields='])('reject %s', async (query) => {
      const { status, json } = await agent('GET', `${path}/${list}.json?${query}`);
      expect([status, json.errors]).toMatchObject([400, [{ field: query.split('=')[0] }]]);
    });
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { Answer, TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';

type Resource = { id: string; etag: string };

/** Returns the items of a list response. */
function itemsOf({ json }: Answer, name: string): Resource[] {
  return json[name] as Resource[];
}

onEveryEngine((createDatabase) => {
  describe('the etag of an item', () => {
    let api: TestApi;
    let admin: Send;
    let ada: Send;
    let ticket: string;
    useApi(createDatabase, (started) => {
      api = started;
      admin = signIn(api, 'admin', 'root@example.com');
      ada = signIn(api, 'customer', 'ada@example.com');
    });
    beforeAll(async () => {
      const customerAccess = { visible_to_customers: true, editable_by_customers: true };
      await admin('POST', '/ticket_fields.json', {
        key: 'floor',
        title: 'Floor',
        type: 'text',
        ...customerAccess,
      });
      const fields = { subject: 'x', custom_fields: { floor: '3' } };
      const { json } = await ada('POST', '/tickets.json', fields);
      ticket = `/ticket/${json.id}`;
      await admin('PATCH', `${ticket}.json`, { tags: ['hidden'] });
      await admin('POST', `${ticket}/replies.json`, { body: 'Public' });
      await admin('POST', `${ticket}/replies.json`, { body: 'Internal', visibility: 'internal' });
    });

    const singular = (path: string) => path.replace(/s$/, '').replace('people', 'person');

    test.each([
      ['/tickets', 'tickets'],
      ['/people', 'people'],
      ['/ticket_fields', 'ticket_fields'],
    ])('of %s equals the ETag of a GET of the item', async (path, name) => {
      const readers = name === 'people' ? [admin] : [admin, ada];
      for (const send of readers) {
        const items = itemsOf(await send('GET', `${path}.json`), name);
        expect(items.length).toBeGreaterThan(0);
        for (const { id, etag } of items) {
          const { headers, json } = await send('GET', `${singular(path)}/${id}.json`);
          expect([etag, json.etag]).toEqual([headers.get('ETag'), headers.get('ETag')]);
        }
      }
    });

    test('of replies and of included resources equals the ETag of a GET', async () => {
      for (const send of [admin, ada]) {
        const replies = itemsOf(await send('GET', `${ticket}/replies.json`), 'replies');
        const { json } = await send('GET', '/tickets.json?include=requester,replies');
        const included = json.included as { people: Resource[]; replies: Resource[] };
        expect(included.people).toHaveLength(1);
        expect(included.replies.toReversed()).toEqual(replies);
        const urls = [
          ...replies.map(({ id, etag }) => [`${ticket}/reply/${id}.json`, etag] as const),
          ...included.people.map(({ id, etag }) => [`/person/${id}.json`, etag] as const),
        ];
        for (const [url, etag] of urls) expect((await send('GET', url)).headers.get('ETag')).toBe(etag);
        const one = (await send('GET', `${ticket}.json?include=replies`)).json;
        expect((one.included as typeof included).replies).toEqual(included.replies);
        expect(one.etag).toBe((await send('GET', `${ticket}.json`)).headers.get('ETag'));
      }
    });

    test('in the change feed equals the ETag of a GET and is absent for tombstones', async () => {
      for (const send of [admin, ada]) {
        const { json } = await send('GET', '/changes.json');
        const lines = json.changes as { type: string; id: string; ticket?: Resource; reply?: Resource }[];
        for (const { type, id, ticket: changed, reply } of lines) {
          const url = type === 'ticket' ? `/ticket/${id}.json` : `${ticket}/reply/${id}.json`;
          expect((changed ?? reply)?.etag).toBe((await send('GET', url)).headers.get('ETag'));
        }
      }
    });

    test('in XML equals the ETag of a GET in XML', async () => {
      const { headers, text } = await admin('GET', `${ticket}.xml`);
      const end = `<etag>${headers.get('ETag')}</etag></ticket>`;
      expect(text.endsWith(end)).toBe(true);
      expect((await admin('GET', '/tickets.xml')).text).toContain(end);
      expect((await admin('GET', '/changes.xml')).text).toContain(end);
      expect((await admin('GET', `${ticket}/replies.xml`)).text).toMatch(
        /<etag>"1-[0-9a-f]{10}-xml"<\/etag><\/reply>/,
      );
      const included = (await admin('GET', '/tickets.xml?include=requester,replies')).text;
      expect(included).toMatch(/<\/ticket><included><people><person>.*<etag>.*<\/included>/s);
    });

    test('can be selected by fields', async () => {
      const read = async (query: string, path = '/tickets') =>
        (await admin('GET', `${path}.json?${query}`)).json;
      const { id, etag } = (await read('', ticket)) as Resource;
      expect((await read('fields=etag')).tickets).toEqual([{ id, etag }]);
      expect((await read('fields=subject')).tickets).toEqual([{ id, subject: 'x' }]);
      expect(await read('fields=etag', ticket)).toEqual({ id, etag });
    });

    test('is accepted in If-Match for the version that the caller sees', async () => {
      for (const send of [admin, ada]) {
        const [item] = itemsOf(await send('GET', '/tickets.json'), 'tickets');
        const headers = { 'If-Match': item?.etag ?? '' };
        expect((await send('PATCH', `${ticket}.json`, { subject: item?.etag }, headers)).status).toBe(200);
        const stale = await send('PATCH', `${ticket}.json`, { subject: 'y' }, headers);
        const current = stale.json.current as Resource;
        const now = await send('GET', `${ticket}.json`);
        expect([stale.status, stale.headers.get('ETag')]).toEqual([412, now.headers.get('ETag')]);
        expect(current).toEqual(now.json);
        const again = { 'If-Match': current.etag };
        expect((await send('PATCH', `${ticket}.json`, { subject: `${item?.etag}!` }, again)).status).toBe(
          200,
        );
      }
    });

    test('is part of the current state in a 412 of replies and fields, in XML too', async () => {
      const [reply] = itemsOf(await admin('GET', `${ticket}/replies.json`), 'replies');
      const [field] = itemsOf(await admin('GET', '/ticket_fields.json'), 'ticket_fields');
      for (const [path, body] of [
        [`${ticket}/reply/${reply?.id}`, { body: 'x' }],
        [`/ticket_field/${field?.id}`, { title: 'x' }],
      ] as const) {
        const stale = await admin('PUT', `${path}.xml`, body, { 'If-Match': '"99"' });
        const { headers } = await admin('GET', `${path}.xml`);
        expect([stale.status, stale.headers.get('ETag')]).toEqual([412, headers.get('ETag')]);
        expect(stale.text).toContain(`<etag>${headers.get('ETag')}</etag></current>`);
      }
    });

    test('is ignored in request bodies', async () => {
      const { json: read } = await admin('GET', `${ticket}.json`);
      for (const method of ['PUT', 'PATCH']) {
        const { status, headers } = await admin(method, `${ticket}.json`, { ...read, etag: '"1-old-json"' });
        expect([status, headers.get('Keydesk-Changed')]).toEqual([200, 'false']);
      }
      const { text } = await admin('GET', `${ticket}.xml`);
      const type = { 'Content-Type': 'application/xml' };
      expect((await admin('PUT', `${ticket}.xml`, text, type)).status).toBe(200);
      const [reply] = itemsOf(await admin('GET', `${ticket}/replies.json`), 'replies');
      expect((await admin('PUT', `${ticket}/reply/${reply?.id}.json`, reply)).status).toBe(200);
    });
  });
});

import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';

const ten = Array.from({ length: 10 }, (_, i) => i);

function tagsAndLinks(createDatabase: () => Promise<TestDatabase>): void {
  let api: TestApi;
  let admin: Send;
  let agent: Send;
  let customer: Send;

  useApi(createDatabase, (started) => {
    api = started;
    admin = signIn(api, 'admin', 'root@example.com');
    agent = signIn(api, 'agent', 'grace@example.com');
    customer = signIn(api, 'customer', 'ada@example.com');
  });

  async function addTicket(fields: Record<string, unknown> = {}, send: Send = agent): Promise<string> {
    const { json, status, text } = await send('POST', '/tickets.json', { subject: 'x', ...fields });
    expect(status, text).toBe(201);
    return String(json.id);
  }
  const get = async (id: string) => (await agent('GET', `/ticket/${id}.json`)).json;

  describe('tags', () => {
    const counts = async (prefix: string, send = agent) => {
      const { json } = await send('GET', `/tags.json?limit=100&q=${prefix}`);
      return (json.tags as { name: string; count: number }[]).map(({ name, count }) => `${name} ${count}`);
    };

    test('are added and removed idempotently, without changing other tags', async () => {
      const id = await addTicket({ tags: ['a'] });
      const path = `/ticket/${id}/tags`;
      expect((await agent('POST', `${path}.json`, { tags: ['b', 'a', 'c'] })).json.tags).toEqual([
        'a',
        'b',
        'c',
      ]);
      const again = await agent('POST', `${path}.xml`, '<ticket><tags><tag>b</tag></tags></ticket>', {
        'Content-Type': 'application/xml',
      });
      expect(again.status, again.text).toBe(200);
      expect(again.headers.get('Keydesk-Changed')).toBe('false');
      expect((await agent('DELETE', `${path}.json?tag=a,c,z`)).json.tags).toEqual(['b']);
      expect((await agent('DELETE', `${path}.json?tag=a`)).headers.get('Keydesk-Changed')).toBe('false');
      const { json } = await agent('GET', `/ticket/${id}/events.json`);
      expect((json.events as { changes: unknown[] }[]).flatMap(({ changes }) => changes)).toEqual([
        { field: 'tags', from: ['a'], to: ['a', 'b', 'c'] },
        { field: 'tags', from: ['a', 'b', 'c'], to: ['b'] },
      ]);
    });

    test('are rejected if malformed, too many, or for a stale version', async () => {
      const id = await addTicket({ tags: ten.map((i) => `t${i}`) });
      const path = `/ticket/${id}/tags.json`;
      const many = Array.from({ length: 91 }, (_, i) => `m${i}`);
      for (const tags of [[], ['a b'], ['a', 'a'], many]) {
        expect((await agent('POST', path, { tags })).status).toBe(400);
      }
      for (const query of ['', '?tag=', '?tag=a,,b', '?colour=red']) {
        expect((await agent('DELETE', path + query)).status).toBe(400);
      }
      const stale = { 'If-Match': '"9"' };
      expect((await agent('POST', path, { tags: ['x'] }, stale)).status).toBe(412);
      expect((await agent('DELETE', `${path}?tag=t1`, undefined, stale)).status).toBe(412);
    });

    test('of ten racing requests are all added', async () => {
      const id = await addTicket();
      const racers = ten.map((i) =>
        agent('POST', `/ticket/${id}/tags.json`, { tags: [`race-${i}`, 'raced'] }),
      );
      expect((await Promise.all(racers)).map(({ status }) => status)).toEqual(ten.map(() => 200));
      expect(((await get(id)).tags as string[]).toSorted()).toEqual(
        [...ten.map((i) => `race-${i}`), 'raced'].toSorted(),
      );
      expect(await counts('raced')).toEqual(['raced 1']);
    });

    test('are counted exactly under races, without deleted tickets', async () => {
      const ids = await Promise.all(
        ten.map((i) => addTicket({ tags: ['n-all', ...(i % 2 ? ['n-odd'] : [])] })),
      );
      const [first = '', second = '', third = ''] = ids;
      expect(await counts('n-')).toEqual(['n-all 10', 'n-odd 5']);
      await Promise.all([
        agent('DELETE', `/ticket/${first}.json`),
        agent('PUT', `/ticket/${second}.json`, { tags: ['n-new'] }),
        admin('DELETE', `/ticket/${third}.json?purge=true`),
        ...ids.slice(3).map((id) => agent('POST', `/ticket/${id}/tags.json`, { tags: ['n-more'] })),
      ]);
      expect(await counts('n-')).toEqual(['n-all 7', 'n-more 7', 'n-odd 4', 'n-new 1']);
      await agent('POST', `/ticket/${first}/restore.json`);
      await agent('DELETE', `/ticket/${second}/tags.json?tag=n-new`);
      expect(await counts('n-')).toEqual(['n-all 8', 'n-more 7', 'n-odd 4']);
    });

    test('are listed page by page in order, with or without a prefix', async () => {
      for (const tags of [['p1', 'p2', 'p3'], ['p2', 'p3'], ['p3']]) await addTicket({ tags });
      for (const q of ['', '&q=p']) {
        const read: string[] = [];
        let cursor = '';
        do {
          const { json, text, status } = await agent('GET', `/tags.json?limit=2${q}${cursor}`);
          expect(status, text).toBe(200);
          read.push(...(json.tags as { name: string }[]).map(({ name }) => name));
          cursor = json.next_cursor === null ? '' : `&cursor=${json.next_cursor}`;
        } while (cursor !== '');
        expect(new Set(read).size).toBe(read.length);
        expect(read.filter((name) => name.startsWith('p'))).toEqual(['p3', 'p2', 'p1']);
      }
    });

    test('are not accessible to customers', async () => {
      const id = await addTicket({}, customer);
      await agent('POST', `/ticket/${id}/tags.json`, { tags: ['suspect'] });
      const answers = [
        await customer('GET', '/tags.json'),
        await customer('POST', `/ticket/${id}/tags.json`, { tags: ['vip'] }),
        await customer('DELETE', `/ticket/${id}/tags.json?tag=suspect`),
      ];
      for (const { status, text } of answers) {
        expect(status).toBe(403);
        expect(text).not.toContain('suspect');
      }
      const foreign = await addTicket();
      expect((await customer('POST', `/ticket/${foreign}/tags.json`, { tags: ['vip'] })).status).toBe(404);
      expect((await get(id)).tags).toEqual(['suspect']);
    });
  });

  describe('links', () => {
    const link = (id: string, type: string, otherId: string, headers = {}) =>
      agent('POST', `/ticket/${id}/links.json`, { type, ticket_id: otherId }, headers);
    const linksOf = async (id: string) => (await get(id)).links;

    test.each([
      ['parent', 'child'],
      ['child', 'parent'],
      ['related', 'related'],
      ['duplicate', 'original'],
      ['original', 'duplicate'],
    ])(
      'of type %s are of type %s in the other ticket, and both histories record them',
      async (type, inverse) => {
        const [one, other] = [await addTicket(), await addTicket()];
        const added = await link(one, type, other);
        expect(added.json.links, added.text).toEqual([{ type, ticket_id: other }]);
        expect(await linksOf(other)).toEqual([{ type: inverse, ticket_id: one }]);
        expect((await link(one, type, other)).headers.get('Keydesk-Changed')).toBe('false');
        const removed = await agent('DELETE', `/ticket/${other}/link/${one}.json`);
        expect(removed.json.links).toEqual([]);
        expect(await linksOf(one)).toEqual([]);
        expect((await agent('DELETE', `/ticket/${other}/link/${one}.json`)).status).toBe(404);
        for (const [id, told] of [
          [one, `${type} ${other}`],
          [other, `${inverse} ${one}`],
        ]) {
          const { json } = await agent('GET', `/ticket/${id}/events.json`);
          expect((json.events as { changes: unknown[] }[]).flatMap(({ changes }) => changes)).toEqual([
            { field: 'links', from: [], to: [told] },
            { field: 'links', from: [told], to: [] },
          ]);
        }
      },
    );

    test('and tags that already exist replay the no-op to a repeated request', async () => {
      const [one, other] = [await addTicket({ tags: ['a'] }), await addTicket()];
      await link(one, 'related', other);
      for (const [collection, body, undo] of [
        ['tags', { tags: ['a'] }, 'tags.json?tag=a'],
        ['links', { type: 'related', ticket_id: other }, `link/${other}.json`],
      ] as const) {
        const key = { 'Idempotency-Key': `nothing-${collection}-${one}` };
        const post = () => agent('POST', `/ticket/${one}/${collection}.json`, body, key);
        const first = await post();
        expect((await agent('DELETE', `/ticket/${one}/${undo}`)).status).toBe(200);
        const again = await post();
        expect([again.status, again.text]).toEqual([200, first.text]);
        for (const name of ['ETag', 'Keydesk-Changed']) {
          expect(again.headers.get(name), name).toBe(first.headers.get(name));
        }
        expect(first.headers.get('Keydesk-Changed')).toBe('false');
        expect(again.headers.get('Idempotency-Replayed')).toBe('true');
      }
      expect((await agent('GET', `/ticket/${one}.json`)).json).toMatchObject({ tags: [], links: [] });
    });

    test('are rejected to the same or no ticket, without a type, with a second type, or for a stale version', async () => {
      const [one, other, gone] = [await addTicket(), await addTicket(), await addTicket()];
      await agent('DELETE', `/ticket/${gone}.json`);
      const missing = one.replace(/.{8}$/, '00000000');
      for (const id of [one, missing, gone]) expect((await link(one, 'related', id)).status).toBe(400);
      expect((await link(one, 'friend', other)).status).toBe(400);
      expect((await link(missing, 'related', other)).status).toBe(404);
      expect((await link(one, 'related', other, { 'If-Match': '"9"' })).status).toBe(412);
      await link(one, 'related', other);
      expect((await link(one, 'parent', other)).status).toBe(409);
      expect((await link(other, 'parent', one)).status).toBe(409);
    });

    test('never create a cycle, whichever of ten racing requests comes first', async () => {
      const ids = await Promise.all(ten.map(() => addTicket()));
      const after = (i: number) => ids[(i + 1) % ids.length] ?? '';
      const raced = await Promise.all(ids.map((id, i) => link(id, 'parent', after(i))));
      expect(raced.map(({ status }) => status).toSorted()).toEqual([...ten.slice(1).map(() => 200), 409]);
    });

    test('never create a cycle by two concurrent links that share no ticket', async () => {
      const pairs = ten.map(async () => {
        const [a, b, c, d] = await Promise.all([addTicket(), addTicket(), addTicket(), addTicket()]);
        await Promise.all([link(b, 'parent', a), link(d, 'parent', c)]);
        return () => Promise.all([link(c, 'parent', b), link(a, 'parent', d)]);
      });
      const raced = await Promise.all((await Promise.all(pairs)).map((race) => race()));
      for (const answers of raced) expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    });

    test('are added once by ten racing requests from both tickets', async () => {
      const [one, other] = [await addTicket(), await addTicket()];
      const racers = ten.map((i) => (i % 2 ? link(one, 'related', other) : link(other, 'related', one)));
      expect((await Promise.all(racers)).map(({ status }) => status)).toEqual(ten.map(() => 200));
      expect(await linksOf(one)).toEqual([{ type: 'related', ticket_id: other }]);
      expect(await linksOf(other)).toEqual([{ type: 'related', ticket_id: one }]);
    });

    test('are removed from the other ticket when a ticket is deleted or purged', async () => {
      const [one, deleted, purged] = [await addTicket(), await addTicket(), await addTicket()];
      await link(one, 'related', deleted);
      await link(one, 'child', purged);
      await agent('DELETE', `/ticket/${deleted}.json`);
      expect(await linksOf(one)).toEqual([{ type: 'child', ticket_id: purged }]);
      await admin('DELETE', `/ticket/${purged}.json?purge=true`);
      expect(await linksOf(one)).toEqual([]);
    });

    test('are not accessible to customers, and do not change the customer view', async () => {
      const [mine, other] = [await addTicket({}, customer), await addTicket()];
      const look = async () => {
        const { text, headers } = await customer('GET', `/ticket/${mine}.json`);
        return [text, headers.get('ETag')];
      };
      const before = await look();
      await link(other, 'parent', mine);
      expect(await look()).toEqual(before);
      const body = { type: 'related', ticket_id: other };
      expect((await customer('POST', `/ticket/${mine}/links.json`, body)).status).toBe(403);
      expect((await customer('DELETE', `/ticket/${mine}/link/${other}.json`)).status).toBe(403);
      expect((await customer('POST', `/ticket/${other}/links.json`, body)).status).toBe(404);
    });
  });
}

onEveryEngine(tagsAndLinks);

import { beforeAll, describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';

onEveryEngine((createDatabase) => {
  describe('the parts of a deleted ticket', () => {
    let api: TestApi;
    let agent: Send;
    let ada: Send;
    let ticket: string;
    let paths: string[];
    useApi(createDatabase, (started) => {
      api = started;
      agent = signIn(api, 'agent', 'grace@example.com');
      ada = signIn(api, 'customer', 'ada@example.com');
    });
    beforeAll(async () => {
      const { id } = await api.addTicket({ requester: { email: 'ada@example.com' } });
      ticket = `/ticket/${id}`;
      const replies = await Promise.all(
        ['public', 'internal'].map((visibility) =>
          agent('POST', `${ticket}/replies.json`, { body: 'x', visibility }),
        ),
      );
      paths = ['', '/replies', '/events', ...replies.map(({ json }) => `/reply/${json.id}`)];
      await agent('DELETE', `${ticket}.json`);
    });

    test.each(['json', 'xml'])('are returned only to staff with deleted=true, in %s', async (format) => {
      for (const path of paths) {
        const url = `${ticket}${path}.${format}`;
        for (const query of ['', '?deleted=false']) {
          expect((await agent('GET', url + query)).status, path).toBe(404);
        }
        const { status, headers } = await agent('GET', `${url}?deleted=true`);
        expect(status, path).toBe(200);
        const known = { 'If-None-Match': headers.get('ETag') ?? '' };
        expect((await agent('GET', `${url}?deleted=true`, undefined, known)).status).toBe(304);
      }
    });

    test('are unchanged, with the time of deletion', async () => {
      const read = async (path: string) => (await agent('GET', `${ticket}${path}.json?deleted=true`)).json;
      expect(await read('')).toMatchObject({ version: 4, deleted_at: expect.any(String) });
      expect((await read('/replies')).replies).toHaveLength(2);
      const { events } = (await read('/events')) as { events: { type: string }[] };
      expect(events.map(({ type }) => type)).toContain('reply.added');
      expect(events.at(-1)?.type).toBe('ticket.deleted');
      const { headers } = await agent('GET', `${ticket}/replies.json?deleted=true&limit=1`);
      expect(headers.get('Link')).toContain('deleted=true');
    });

    test('are 404 for customers, who may not send deleted=true either', async () => {
      for (const path of paths) {
        expect((await ada('GET', `${ticket}${path}.json`)).status, path).toBe(404);
        const { status, json } = await ada('GET', `${ticket}${path}.json?deleted=true`);
        expect([status, json.code], path).toEqual([403, 'forbidden']);
      }
    });

    test('cannot be changed with deleted=true', async () => {
      const { status } = await agent('PUT', `${ticket}.json?deleted=true`, { subject: 'x' });
      expect(status).toBe(400);
      expect((await agent('PUT', `${ticket}.json`, { subject: 'x' })).status).toBe(404);
    });

    test('are returned with deleted=true for an existing ticket too, and no longer after a purge', async () => {
      const { id } = await api.addTicket();
      expect((await agent('GET', `/ticket/${id}.json?deleted=true`)).json.deleted_at).toBeNull();
      const admin = signIn(api, 'admin', 'root@example.com');
      await admin('DELETE', `/ticket/${id}.json?purge=true`);
      expect((await agent('GET', `/ticket/${id}.json?deleted=true`)).status).toBe(404);
    });
  });
});

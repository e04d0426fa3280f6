import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { isReplay, replayedParts } from '../http/replayed-answer.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';

onEveryEngine((createDatabase) => {
  describe('the Idempotency-Key of a change (draft-ietf-httpapi-idempotency-key-header-07 §2.6)', () => {
    let api: TestApi;
    let admin: Send;
    useApi(createDatabase, (started) => {
      api = started;
      admin = signIn(api, 'admin', 'root@example.com');
    });

    async function addPerson(): Promise<string> {
      const { requester } = await api.addTicket({ requester: { email: `${randomUUID()}@example.com` } });
      return `/person/${(requester as { id: string }).id}`;
    }

    /** Creates one of each resource: a ticket with a tag, a link and a reply, a field and a person. */
    async function addWorld() {
      const { id } = await api.addTicket({ tags: ['fire', 'urgent'] });
      const { id: other } = await api.addTicket();
      await admin('POST', `/ticket/${id}/links.json`, { type: 'related', ticket_id: other });
      const reply = (await admin('POST', `/ticket/${id}/replies.json`, { body: 'First' })).json;
      const field = { key: `f${randomUUID().replaceAll('-', '')}`, title: 'Floor', type: 'text' };
      const { json } = await admin('POST', '/ticket_fields.json', field);
      return {
        ticket: `/ticket/${id}`,
        other,
        reply: `/ticket/${id}/reply/${reply.id}`,
        field: `/ticket_field/${json.id}`,
        person: await addPerson(),
      };
    }
    type World = Awaited<ReturnType<typeof addWorld>>;

    test.each<[string, string, (world: World) => string, unknown, unknown]>([
      ['a ticket', 'PUT', ({ ticket }) => ticket, { subject: 'Once' }, { subject: 'Twice' }],
      ['a ticket', 'PATCH', ({ ticket }) => ticket, { due_at: null, type: 'task' }, { type: 'task' }],
      ['a reply', 'PUT', ({ reply }) => reply, { body: 'Once' }, { body: 'Twice' }],
      ['a reply', 'PATCH', ({ reply }) => reply, { body: 'Once' }, { body: 'Twice' }],
      ['a field', 'PUT', ({ field }) => field, { title: 'Once' }, { title: 'Twice' }],
      ['a field', 'PATCH', ({ field }) => field, { title: 'Once' }, { position: 3 }],
      ['a person', 'PUT', ({ person }) => person, { name: 'Once' }, { name: 'Twice' }],
      ['a person', 'PATCH', ({ person }) => person, { name: 'Once', phone: '7' }, { phone: '7' }],
    ])(
      'of %s by %s gets the first answer again, and 422 with other data',
      async (...[, method, toPath, body, another]) => {
        const path = `${toPath(await addWorld())}.json`;
        const key = { 'Idempotency-Key': randomUUID() };
        const { headers } = await admin('GET', path);
        const conditional = { ...key, 'If-Match': headers.get('ETag') ?? '' };
        const first = await admin(method, path, body, conditional);
        expect([first.status, isReplay(first)]).toEqual([200, false]);
        await admin(
          'PUT',
          path,
          path.includes('field')
            ? { position: 9 }
            : path.includes('person')
              ? { notes: 'y' }
              : path.includes('reply')
                ? { body: 'y' }
                : { subject: 'y' },
        );
        const again = await admin(method, path, body, conditional);
        expect([replayedParts(again), isReplay(again)]).toEqual([replayedParts(first), true]);
        expect((await admin(method, path, another, key)).json.code).toBe('idempotency_mismatch');
      },
    );

    test.each<[string, (world: World) => string, (world: World) => string]>([
      ['a ticket', ({ ticket }) => `${ticket}.json`, ({ other }) => `/ticket/${other}.json`],
      ['a reply', ({ reply }) => `${reply}.json`, ({ ticket }) => `${ticket}.json`],
      ['a link', ({ ticket, other }) => `${ticket}/link/${other}.json`, ({ ticket }) => `${ticket}.json`],
      [
        'tags',
        ({ ticket }) => `${ticket}/tags.json?tag=fire`,
        ({ ticket }) => `${ticket}/tags.json?tag=urgent`,
      ],
      ['a field', ({ field }) => `${field}.json`, ({ ticket }) => `${ticket}.json`],
    ])(
      'of the deletion of %s gets the first answer again, and 422 for another resource',
      async (...[, toPath, toAnother]) => {
        const world = await addWorld();
        const key = { 'Idempotency-Key': randomUUID() };
        const first = await admin('DELETE', toPath(world), undefined, key);
        expect([first.status, isReplay(first)]).toEqual([200, false]);
        const again = await admin('DELETE', toPath(world), undefined, key);
        expect([replayedParts(again), isReplay(again)]).toEqual([replayedParts(first), true]);
        const another = await admin('DELETE', toAnother(world), undefined, key);
        expect(another.json.code).toBe('idempotency_mismatch');
      },
    );

    test('replays the answer of a no-op', async () => {
      const { ticket, field, person } = await addWorld();
      for (const [path, body, another] of [
        [ticket, { tags: ['fire', 'urgent'] }, { tags: [] }],
        [field, { title: 'Floor' }, { title: 'x' }],
        [person, { name: null }, { name: 'x' }],
      ] as const) {
        const key = { 'Idempotency-Key': randomUUID() };
        const first = await admin('PUT', `${path}.json`, body, key);
        expect(first.headers.get('Keydesk-Changed')).toBe('false');
        await admin('PUT', `${path}.json`, another);
        const again = await admin('PUT', `${path}.json`, body, key);
        expect([replayedParts(again), isReplay(again)]).toEqual([replayedParts(first), true]);
      }
    });

    test('of a merge of people gets the first answer again after later changes, and 422 for another merge', async () => {
      const [one, other, third] = [await addPerson(), await addPerson(), await addPerson()];
      const key = { 'Idempotency-Key': randomUUID() };
      const merge = (into: string, person: string) =>
        admin('POST', `${into}/merge.json`, { person_id: person.slice('/person/'.length) }, key);
      const first = await merge(one, other);
      expect([first.status, isReplay(first)]).toEqual([200, false]);
      await admin('PATCH', `${one}.json`, { name: 'Since' });
      const again = await merge(one, other);
      expect([replayedParts(again), isReplay(again)]).toEqual([replayedParts(first), true]);
      expect((await merge(one, third)).json.code).toBe('idempotency_mismatch');
      const { json } = await admin('GET', `${one}.json`);
      expect(json).toMatchObject({ name: 'Since', version: 3 });
    });

    test('hides fields that were hidden from customers since', async () => {
      const shown = { visible_to_customers: true, editable_by_customers: true };
      const definition = { key: 'floor', title: 'Floor', type: 'text', ...shown };
      const { json: field } = await admin('POST', '/ticket_fields.json', definition);
      const ada = signIn(api, 'customer', 'ada@example.com');
      const { json: ticket } = await ada('POST', '/tickets.json', { subject: 'x' });
      const key = { 'Idempotency-Key': randomUUID() };
      const edit = () => ada('PUT', `/ticket/${ticket.id}.json`, { custom_fields: { floor: '3' } }, key);
      const first = await edit();
      expect(first.json.custom_fields).toEqual({ floor: '3' });
      const hidden = { visible_to_customers: false, editable_by_customers: false };
      await admin('PATCH', `/ticket_field/${field.id}.json`, hidden);
      const etag = expect.stringMatching(/^"c2-/);
      expect((await edit()).json).toEqual({ ...first.json, custom_fields: {}, etag });
    });

    test('of a purge is 400 because no answer is stored', async () => {
      const { ticket } = await addWorld();
      const key = { 'Idempotency-Key': randomUUID() };
      const { status, json } = await admin('DELETE', `${ticket}.json?purge=true`, undefined, key);
      expect([status, json.errors]).toMatchObject([400, [{ field: 'Idempotency-Key' }]]);
      expect((await admin('GET', `${ticket}.json`)).status).toBe(200);
    });

    test.each(['PUT', 'PATCH', 'DELETE'])('is checked for %s as for POST', async (method) => {
      const { ticket } = await addWorld();
      const body = method === 'DELETE' ? undefined : { subject: 'x' };
      const { status, json } = await admin(method, `${ticket}.json`, body, { 'Idempotency-Key': 'a b' });
      expect([status, json.errors]).toMatchObject([400, [{ field: 'Idempotency-Key' }]]);
    });
  });
});

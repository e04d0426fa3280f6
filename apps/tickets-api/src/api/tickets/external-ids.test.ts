import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { Answer, TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { connect, type Send, signIn } from '../people/people.fixture.ts';
import { outcomeOf, pathOf, refusalOf } from './external-ids.fixture.ts';

onEveryEngine((createDatabase) => {
  describe('PUT /tickets/external/{external_id}', () => {
    let api: TestApi;
    let job: Send;
    let admin: Send;
    useApi(createDatabase, (started) => {
      api = started;
      job = connect(api, 'agent', 'nightly-import');
      admin = signIn(api, 'admin', 'root@example.com', { client_id: 'nightly-import' });
    });

    const put = (externalId: string, body: unknown = { subject: 'Imported' }, headers = {}) =>
      job('PUT', pathOf(externalId), body, headers);

    test('adds a ticket, then edits it, then changes nothing', async () => {
      const id = randomUUID();
      const added = await put(id);
      expect(added.status).toBe(201);
      expect(added.json).toMatchObject({ subject: 'Imported', external_id: id, status: 'new', version: 1 });
      expect(added.headers.get('Location')).toBe(`http://api.example/ticket/${added.json.id}.json`);
      const edited = await put(id, { subject: 'Again', tags: ['crm'] });
      expect(outcomeOf(edited)).toEqual([200, null]);
      expect(edited.json).toMatchObject({ id: added.json.id, subject: 'Again', tags: ['crm'], version: 2 });
      expect(edited.headers.get('Location')).toBeNull();
      const same = await put(id, { subject: 'Again', external_id: id });
      expect(outcomeOf(same)).toEqual([200, 'false']);
      expect(same.headers.get('ETag')).toBe(edited.headers.get('ETag'));
      const { json } = await job('GET', `/ticket/${added.json.id}/events.json`);
      expect(json.events).toMatchObject([{ type: 'ticket.created' }, { type: 'ticket.changed' }]);
    });

    test('accepts JSON, XML and forms', async () => {
      const type = (value: string) => ({ 'Content-Type': value });
      const id = `x-${randomUUID()}`;
      const xml =
        '<ticket><subject>In XML</subject><custom_fields><field key="floor" type="number">3</field></custom_fields></ticket>';
      const added = await job('PUT', pathOf(id, 'xml'), xml, type('application/xml'));
      expect([added.status, added.text]).toEqual([
        201,
        expect.stringContaining(`<external_id>${id}</external_id>`),
      ]);
      expect(added.headers.get('Location')).toMatch(/\.xml$/);
      const form = 'subject=In+XML&custom_fields%5Bfloor%5D=3&priority=high';
      const edited = await job('PUT', pathOf(id), form, type('application/x-www-form-urlencoded'));
      expect([edited.status, edited.json.priority]).toEqual([200, 'high']);
      const found = await job('GET', pathOf(id, 'xml'));
      expect(found.text).toContain('<priority>high</priority>');
      const unnamed = await job('PUT', pathOf(id, 'xml'), '<ticket/>', type('application/xml'));
      expect(outcomeOf(unnamed)).toEqual([200, 'false']);
    });

    test.each(['A.B', 'a/b/../c', 'Žofia 火', '50%', '%2F', 'x?y#z', ' ', '.xml', 'CRM:7;v=1,2'])(
      'stores a percent-encoded id exactly: %j',
      async (id) => {
        for (const format of ['json', 'xml']) {
          await job('PUT', pathOf(id, format), { subject: 'Imported' });
          expect((await job('GET', pathOf(id, format))).status).toBe(200);
        }
        const { json } = await job('GET', pathOf(id));
        expect([json.external_id, json.version]).toEqual([id, 1]);
      },
    );

    test.each([`${'x'.repeat(256)}`, '%00', '%01x'])(
      'rejects a malformed id such as %.10j with 404',
      async (raw) => {
        for (const method of ['GET', 'PUT']) {
          const { status } = await job(
            method,
            `/tickets/external/${raw}.json`,
            method === 'PUT' ? {} : undefined,
          );
          expect(status).toBe(404);
        }
      },
    );

    test('rejects invalid tickets and edits with all errors, and adds nothing', async () => {
      const id = randomUUID();
      for (const [body, fields] of [
        [{}, ['subject']],
        [{ channel: 'pigeon', colour: 'red' }, ['channel', 'colour']],
        [{ subject: 'x', external_id: 'another' }, ['external_id']],
        [{ subject: 'x', external_id: null }, ['external_id']],
        [{ subject: 'x', version: 3 }, ['version']],
      ] as const) {
        const { status, json } = await put(id, body);
        const named = (json.errors as { field: string }[]).map(({ field }) => field);
        expect([status, named.toSorted()]).toEqual([400, [...fields].toSorted()]);
      }
      expect((await job('PUT', `${pathOf(id)}?purge=true`, { subject: 'x' })).status).toBe(400);
      expect((await job('GET', pathOf(id))).status).toBe(404);
      await put(id);
      expect((await put(id, { id: randomUUID() })).json.errors).toMatchObject([{ field: 'id' }]);
      expect((await put(id, { version: 7 })).status).toBe(412);
    });

    test('requires staff and the scopes for creating and reading', async () => {
      const ada = signIn(api, 'customer', 'ada@example.com');
      for (const method of ['GET', 'PUT']) {
        const answer = await ada(method, pathOf('any'), method === 'PUT' ? { subject: 'x' } : undefined);
        expect([answer.status, answer.json.code]).toEqual([403, 'forbidden']);
      }
      const reader = {
        Authorization: `Bearer ${api.issuer.token({ role: 'agent', scope: 'tickets:read' })}`,
      };
      expect((await job('PUT', pathOf('any'), { subject: 'x' }, reader)).json.code).toBe(
        'insufficient_scope',
      );
      expect(
        (await job('PUT', pathOf('any'), { subject: 'x' }, { Authorization: undefined as never })).status,
      ).toBe(401);
    });

    describe('with preconditions (RFC 9110 §13.1)', () => {
      test('only adds with If-None-Match: *, and only edits with If-Match', async () => {
        const id = randomUUID();
        const [onlyAdd, onlyEdit] = [{ 'If-None-Match': '*' }, { 'If-Match': '*' }];
        expect((await put(id, { subject: 'x' }, onlyEdit)).status).toBe(412);
        const added = await put(id, { subject: 'x' }, onlyAdd);
        expect(added.status).toBe(201);
        const refused = await put(id, { subject: 'y' }, onlyAdd);
        expect([refused.status, refused.json.current]).toEqual([412, added.json]);
        expect((await put(id, { subject: 'y' }, onlyEdit)).status).toBe(200);
      });

      test('edits the expected version, and otherwise answers 412 with the current ticket', async () => {
        const id = randomUUID();
        const { headers } = await put(id);
        const ifMatch = { 'If-Match': headers.get('ETag') ?? '' };
        expect((await put(id, { subject: 'Once' }, ifMatch)).status).toBe(200);
        const { status, json } = await put(id, { subject: 'Twice' }, ifMatch);
        expect([status, json.current]).toMatchObject([412, { subject: 'Once', version: 2 }]);
      });
    });

    test('replays the first answer (201 or 200) to an Idempotency-Key after later changes', async () => {
      const id = randomUUID();
      const told = ({ status, text, headers }: Answer) => [status, text, headers.get('Location')];
      for (const subject of ['First', 'Second']) {
        const key = { 'Idempotency-Key': randomUUID() };
        const first = await put(id, { subject }, key);
        await put(id, { subject: 'Between' });
        const again = await put(id, { subject }, key);
        expect(told(again)).toEqual(told(first));
        expect(again.headers.get('Idempotency-Replayed')).toBe('true');
        expect((await put(id, { subject: 'Other' }, key)).json.code).toBe('idempotency_mismatch');
        expect((await put(randomUUID(), { subject }, key)).json.code).toBe('idempotency_mismatch');
      }
    });

    test('separates the ids of clients; a person uses the ids of their client', async () => {
      const id = randomUUID();
      const { json } = await put(id);
      const other = await connect(api, 'agent', 'other-import')('PUT', pathOf(id), { subject: 'Other' });
      expect([other.status, other.json.id === json.id]).toEqual([201, false]);
      const grace = signIn(api, 'agent', 'grace@example.com', { client_id: 'nightly-import' });
      expect((await grace('GET', pathOf(id))).json.id).toBe(json.id);
      expect((await signIn(api, 'agent', 'grace@example.com')('GET', pathOf(id))).status).toBe(404);
      const list = await job('GET', `/tickets.json?external_id=${id}`);
      expect(list.json.tickets).toHaveLength(2);
    });

    test('is 409 for a deleted ticket until it is restored, and adds another once it is purged', async () => {
      const id = randomUUID();
      const { json } = await put(id);
      const url = `/ticket/${json.id}`;
      await admin('DELETE', `${url}.json`);
      const refused = await put(id, { subject: 'Back' });
      expect(refusalOf(refused)).toEqual([
        409,
        'external_id_in_use',
        `http://api.example${url}.json?deleted=true`,
      ]);
      expect(refused.json.detail).toContain('restore');
      expect((await job('GET', pathOf(id))).status).toBe(404);
      expect((await job('GET', `${pathOf(id)}?deleted=true`)).json.id).toBe(json.id);
      await admin('POST', `${url}/restore.json`);
      expect((await put(id, { subject: 'Back' })).json).toMatchObject({ id: json.id, subject: 'Back' });
      await admin('DELETE', `${url}.json?purge=true`);
      const anew = await put(id);
      expect([anew.status, anew.json.id === json.id]).toEqual([201, false]);
    });

    test('keeps the external id unique when the ticket is edited by its own URL', async () => {
      const [id, other, corrected] = [randomUUID(), randomUUID(), randomUUID()];
      const { json } = await put(id);
      const { json: another } = await put(other);
      const edit = (external_id: string | null) =>
        job('PATCH', `/ticket/${another.id}.json`, { external_id });
      const url = `http://api.example/ticket/${json.id}.json`;
      expect(refusalOf(await edit(id))).toEqual([409, 'external_id_in_use', url]);
      expect((await edit(corrected)).status).toBe(200);
      expect((await put(corrected, { priority: 'low' })).json.id).toBe(another.id);
      await edit(null);
      expect((await put(corrected)).status).toBe(201);
    });

    describe('external_id_unique=true', () => {
      const post = (external_id: string | null, query = '?external_id_unique=true', headers = {}) =>
        job('POST', `/tickets.json${query}`, { subject: 'Posted', external_id }, headers);

      test('makes the external id of a new ticket unique: another is 409 with the URL of the first', async () => {
        const id = randomUUID();
        await post(id, '');
        const key = { 'Idempotency-Key': randomUUID() };
        const first = await post(id, undefined, key);
        expect(first.status).toBe(201);
        expect((await post(id, undefined, key)).text).toBe(first.text);
        const url = `http://api.example/ticket/${first.json.id}.json`;
        expect(refusalOf(await post(id))).toEqual([409, 'external_id_in_use', url]);
        expect((await post(id, '')).status).toBe(201);
        expect((await post(id, '', key)).json.code).toBe('idempotency_mismatch');
        expect((await put(id)).json.id).toBe(first.json.id);
        expect((await post(null)).json.errors).toMatchObject([{ field: 'external_id', code: 'required' }]);
        expect((await post(id, '?external_id_unique=yes')).status).toBe(400);
        const ada = signIn(api, 'customer', 'ada@example.com');
        const ofCustomer = await ada('POST', '/tickets.json?external_id_unique=true', { subject: 'x' });
        expect([ofCustomer.status, ofCustomer.json.errors]).toMatchObject([400, [{ field: 'external_id' }]]);
      });

      test('claims the external id of an existing ticket, and only its version visibly changes', async () => {
        const id = randomUUID();
        const { json } = await post(id, '');
        const path = `/ticket/${json.id}.json?external_id_unique=true`;
        const claimed = await job('PUT', path, {});
        expect([claimed.status, claimed.json.version]).toEqual([200, 2]);
        expect(outcomeOf(await job('PATCH', path, {}))).toEqual([200, 'false']);
        expect((await put(id, { priority: 'high' })).json.id).toBe(json.id);
        const other = connect(api, 'agent', 'other-import');
        expect((await other('PUT', path, {})).json.code).toBe('conflict');
        const { json: second } = await post(id, '');
        const url = `http://api.example/ticket/${json.id}.json`;
        const again = await job('PUT', `/ticket/${second.id}.json?external_id_unique=true`, {});
        expect(refusalOf(again)).toEqual([409, 'external_id_in_use', url]);
      });
    });
  });
});

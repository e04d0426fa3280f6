import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith } from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, startApi, type TestApi } from '../api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';
import {
  createMongoDatabase,
  createSqliteDatabase,
  type TestDatabase,
} from '../storage/test-database.fixture.ts';

type Fields = Record<string, unknown>;

function customFields(createDatabase: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let api: TestApi;
  let elsewhere: TestApi;
  let admin: Send;
  let agent: Send;
  let customer: Send;
  let count = 0;

  beforeAll(async () => {
    database = await createDatabase();
    api = await startApi({ storageUrl: database.storageUrl });
    elsewhere = await startApi({ storageUrl: database.storageUrl });
    admin = signIn(api, 'admin', 'root@example.com');
    agent = signIn(api, 'agent', 'grace@example.com');
    customer = signIn(api, 'customer', 'ada@example.com');
  }, 60_000);
  afterAll(async () => {
    await api.stop();
    await elsewhere.stop();
    await database.drop();
  });

  /** Defines a field under a key of its own. */
  async function define(fields: Fields = {}): Promise<{ key: string; path: string; json: Fields }> {
    count += 1;
    const field = { key: `field_${count}`, title: 'A field', type: 'text', ...fields };
    const { status, json, text } = await admin('POST', '/ticket_fields.json', field);
    expect(status, text).toBe(201);
    return { key: String(json.key), path: `/ticket_field/${json.id}.json`, json };
  }

  async function addTicket(send: Send, fields: Fields = {}): Promise<string> {
    const { status, json, text } = await send('POST', '/tickets.json', { subject: 'It burns', ...fields });
    expect(status, text).toBe(201);
    return `/ticket/${json.id}.json`;
  }

  async function valuesOf(send: Send, path: string): Promise<Fields> {
    return (await send('GET', path)).json.custom_fields as Fields;
  }

  const faultsOf = ({ json }: Answer) =>
    (json.errors as { field: string }[] | undefined)?.map((e) => e.field);

  /** A definition must not ask tests that come later for anything. */
  async function withField(fields: Fields, run: (key: string, path: string) => Promise<void>): Promise<void> {
    const { key, path } = await define(fields);
    await run(key, path);
    expect((await admin('DELETE', path)).status).toBe(200);
  }

  describe('definitions', () => {
    test('are made, read, changed and removed by administrators, as JSON and as XML', async () => {
      const { key, path, json } = await define({ type: 'select', options: ['a', 'b'], position: 3 });
      expect((await agent('GET', path)).json).toEqual(json);
      const changed = await admin('PUT', path, { ...json, title: 'Renamed' });
      expect(changed.json).toMatchObject({ key, title: 'Renamed', options: ['a', 'b'], version: 2 });
      const patched = await admin('PATCH', path, { position: null });
      expect(patched.json).toMatchObject({ position: 0, version: 3 });
      const xml = await admin('GET', path.replace('.json', '.xml'));
      const asXml = { 'Content-Type': 'application/xml' };
      const sentBack = await admin('PUT', path, xml.text, asXml);
      expect(sentBack.json).toEqual(patched.json);
      expect(sentBack.headers.get('Keydesk-Changed')).toBe('false');
      expect((await admin('DELETE', path)).json).toEqual(patched.json);
      expect((await admin('GET', path)).status).toBe(404);
    });

    test('come all at once in order of position, then of key', async () => {
      const late = await define({ position: 1_000 });
      const [one, two] = [await define({ position: 999 }), await define({ position: 999 })];
      const { json } = await agent('GET', '/ticket_fields.json');
      const keys = (json.ticket_fields as Fields[]).map((field) => field.key);
      expect(keys.slice(-3)).toEqual([one.key, two.key, late.key]);
    });

    test('are for administrators to write', async () => {
      const { path } = await define({ visible_to_customers: true });
      const field = { key: 'mine', title: 'Mine', type: 'text' };
      for (const send of [agent, customer]) {
        expect((await send('POST', '/ticket_fields.json', field)).status).toBe(403);
        expect((await send('PUT', path, { title: 'Mine' })).status).toBe(403);
        expect((await send('PATCH', path, { title: 'Mine' })).status).toBe(403);
        expect((await send('DELETE', path)).status).toBe(403);
      }
      await admin('DELETE', path);
    });

    test('refuse what does not go together, another key, and a key twice', async () => {
      const { key, path } = await define();
      const refused: [Fields, string[]][] = [
        [{ type: 'select' }, ['options']],
        [{ options: ['a'], editable_by_customers: true }, ['options', 'editable_by_customers']],
        [{ key: 'other' }, ['key']],
        [{ title: ' ', type: 'colour' }, ['title', 'type']],
      ];
      for (const [fields, faults] of refused) {
        const answer = await admin('PUT', path, fields);
        expect([answer.status, faultsOf(answer)]).toEqual([400, faults]);
      }
      const twice = await admin('POST', '/ticket_fields.json', { key, title: 'Again', type: 'text' });
      expect(twice.status).toBe(409);
    });

    test('have no key that no body can name', async () => {
      const field = { key: 'constructor', title: 'x', type: 'text' };
      const answer = await admin('POST', '/ticket_fields.json', field);
      expect([answer.status, faultsOf(answer)]).toEqual([400, ['key']]);
    });

    test('are changed by one of ten racers who have read the same version', async () => {
      const { path } = await define();
      const etag = (await admin('GET', path)).headers.get('ETag') ?? '';
      const racers = Array.from({ length: 10 }, (_, i) =>
        admin('PUT', path, { title: `by ${i}` }, { 'If-Match': etag }),
      );
      const statuses = (await Promise.all(racers)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 412)]);
    });

    test('are made once by a request that is repeated', async () => {
      const field = { key: 'repeated', title: 'Once', type: 'text' };
      const repeat = () => admin('POST', '/ticket_fields.json', field, { 'Idempotency-Key': 'define' });
      const answers = [await repeat(), await repeat()];
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect(answers[1]?.json).toEqual(answers[0]?.json);
      expect(answers[1]?.headers.get('Idempotency-Replayed')).toBe('true');
    });
  });

  describe('values', () => {
    test.each<[type: string, good: unknown[], bad: unknown[]]>([
      ['text', ['x', '', null], [1, true, ['x']]],
      ['integer', [0, -7, 9_007_199_254_740_991, null], ['1', 1.5, 1e300, true]],
      ['decimal', ['12.5', '-0.05', null], [12.5, '1e3', '', '.5', 'x', ' 1']],
      ['boolean', [true, false, null], ['true', 1]],
      ['date', ['2024-02-29', null], ['2026-02-29', '2026-1-1', '2026-01-01T00:00:00Z', '']],
      ['select', ['a', null], ['c', '', ['a']]],
      ['multi_select', [['b', 'a'], [], null], ['a', ['c'], ['a', 'a']]],
    ])('of type %s are what it says, when tickets are added and edited', async (type, good, bad) => {
      const options = type.includes('select') ? { options: ['a', 'b'] } : {};
      await withField({ type, ...options }, async (key) => {
        const path = await addTicket(agent);
        for (const value of good) {
          const answer = await agent('PUT', path, { custom_fields: { [key]: value } });
          expect(answer.json.custom_fields, JSON.stringify(value)).toEqual({ [key]: value });
        }
        for (const value of bad) {
          const custom_fields = { [key]: value };
          for (const [method, target] of [
            ['PUT', path],
            ['PATCH', path],
            ['POST', '/tickets.json'],
          ] as const) {
            const answer = await agent(method, target, { subject: 'x', custom_fields });
            const told = [answer.status, faultsOf(answer)];
            expect(told, JSON.stringify(value)).toEqual([400, [`custom_fields.${key}`]]);
          }
        }
      });
    });

    test('that are decimal numbers are kept exactly, and equals in one way', async () => {
      await withField({ type: 'decimal' }, async (key) => {
        for (const [given, kept] of [
          ['0012.50', '12.5'],
          ['-0.0', '0'],
          ['123456789012345678901234567890.1', '123456789012345678901234567890.1'],
          ['100', '100'],
        ]) {
          const path = await addTicket(agent, { custom_fields: { [key]: given } });
          expect(await valuesOf(agent, path)).toEqual({ [key]: kept });
        }
      });
    });

    test('of forms and of XML without types are what the definitions say', async () => {
      const number = await define({ type: 'integer' });
      const flag = await define({ type: 'boolean' });
      const day = await define({ type: 'date' });
      const form = `subject=x&custom_fields[${number.key}]=7&custom_fields[${flag.key}]=true&custom_fields[${day.key}]=`;
      const asForm = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const added = await agent('POST', '/tickets.json', form, asForm);
      expect(added.json.custom_fields, added.text).toEqual({
        [number.key]: 7,
        [flag.key]: true,
        [day.key]: null,
      });
      const xml = `<ticket><custom_fields><field key="${number.key}">8</field></custom_fields></ticket>`;
      const asXml = { 'Content-Type': 'application/xml' };
      const edited = await agent('PUT', `/ticket/${added.json.id}.json`, xml, asXml);
      expect(edited.json.custom_fields).toEqual({ [number.key]: 8 });
      for (const { path } of [number, flag, day]) await admin('DELETE', path);
    });

    test('under names without a definition are free-form for staff', async () => {
      const path = await addTicket(agent, { custom_fields: { undefined_one: [] } });
      expect(await valuesOf(agent, path)).toEqual({ undefined_one: [] });
    });

    test('of options that are no longer offered stay until they are changed', async () => {
      const { key, path } = await define({ type: 'multi_select', options: ['a', 'b'] });
      const ticket = await addTicket(agent, { custom_fields: { [key]: ['a', 'b'] } });
      await admin('PUT', path, { options: ['c'] });
      const kept = await agent('PUT', ticket, { subject: 'Other', custom_fields: { [key]: ['a', 'b'] } });
      expect(kept.json.custom_fields).toEqual({ [key]: ['a', 'b'] });
      const fewer = await agent('PUT', ticket, { custom_fields: { [key]: ['a', 'c'] } });
      expect(fewer.json.custom_fields).toEqual({ [key]: ['a', 'c'] });
      expect((await agent('PUT', ticket, { custom_fields: { [key]: ['b'] } })).status).toBe(400);
      await admin('DELETE', path);
    });

    test('are not lost when their definition gets another type or is removed', async () => {
      const { key, path } = await define();
      const ticket = await addTicket(agent, { custom_fields: { [key]: 'words' } });
      await admin('PUT', path, { type: 'integer' });
      await agent('PATCH', ticket, { subject: 'Other' });
      expect(await valuesOf(agent, ticket)).toEqual({ [key]: 'words' });
      await admin('DELETE', path);
      expect(await valuesOf(agent, ticket)).toEqual({ [key]: 'words' });
      expect((await agent('PATCH', ticket, { custom_fields: { [key]: true } })).status).toBe(200);
    });

    test('that are required on creation cannot be missing, nor taken away later', async () => {
      const earlier = await addTicket(agent);
      await withField({ required_on: ['create'] }, async (key) => {
        const field = `custom_fields.${key}`;
        for (const custom_fields of [{}, { [key]: null }, { [key]: '' }]) {
          const answer = await agent('POST', '/tickets.json', { subject: 'x', custom_fields });
          expect([answer.status, faultsOf(answer)]).toEqual([400, [field]]);
        }
        const path = await addTicket(agent, { custom_fields: { [key]: 'x' } });
        expect(faultsOf(await agent('PUT', path, { custom_fields: {} }))).toEqual([field]);
        expect((await agent('PUT', earlier, { priority: 'high' })).status).toBe(200);
      });
    });

    test('that are required on solving are named when they are missing, by an edit and by a reply', async () => {
      const fields = [await define({ required_on: ['solve'] }), await define({ required_on: ['solve'] })];
      const path = await addTicket(agent);
      const replies = path.replace('.json', '/replies.json');
      const missing = fields.map(({ key }) => `custom_fields.${key}`);
      const edited = await agent('PUT', path, { status: 'solved' });
      const replied = await agent('POST', replies, { body: 'Done.', status: 'solved' });
      for (const answer of [edited, replied]) {
        expect([answer.status, faultsOf(answer)]).toEqual([400, missing]);
      }
      const custom_fields = Object.fromEntries(fields.map(({ key }) => [key, 'x']));
      expect((await agent('PUT', path, { custom_fields })).status).toBe(200);
      expect((await agent('POST', replies, { body: 'Done.', status: 'solved' })).status).toBe(201);
      for (const { path: definition } of fields) await admin('DELETE', definition);
    });
  });

  describe('a customer', () => {
    test('sees the definitions and values of visible fields alone, wherever they look', async () => {
      const shown = await define({ visible_to_customers: true });
      const hidden = await define({ required_on: ['solve'], title: 'Suspicion' });
      const path = await addTicket(customer);
      const custom_fields = { [shown.key]: 'shown-1', [hidden.key]: 'hidden-1', free_form: 'hidden-2' };
      await agent('PUT', path, { custom_fields });
      await agent('PUT', path, { custom_fields: { ...custom_fields, [shown.key]: 'shown-2' } });
      expect(await valuesOf(customer, path)).toEqual({ [shown.key]: 'shown-2' });
      const paths = [
        path,
        path.replace('.json', '/events.json'),
        '/tickets.json',
        '/changes.json',
        '/ticket_fields.json',
      ];
      for (const each of paths.flatMap((one) => [one, one.replace('.json', '.xml')])) {
        const { text, status } = await customer('GET', each);
        expect(status).toBe(200);
        expect(text).toContain(shown.key);
        expect(text).not.toMatch(new RegExp(`hidden|free_form|Suspicion|${hidden.key}`));
      }
      expect((await customer('GET', shown.path)).status).toBe(200);
      const none = await customer('GET', hidden.path, undefined, { 'X-Request-Id': 'the-same-for-all' });
      const removed = hidden.path.replace(/.{8}\.json/, '00000000.json');
      const never = await customer('GET', removed, undefined, { 'X-Request-Id': 'the-same-for-all' });
      expect([none.status, none.text]).toEqual([404, never.text]);
      for (const { path: definition } of [shown, hidden]) await admin('DELETE', definition);
    });

    test('writes editable fields alone, and is told which are not', async () => {
      const open = await define({ visible_to_customers: true, editable_by_customers: true, type: 'integer' });
      const shown = await define({ visible_to_customers: true });
      const hidden = await define();
      const refused = [shown.key, hidden.key, 'free_form'];
      const all = Object.fromEntries(refused.map((key) => [key, 'x']));
      const added = await customer('POST', '/tickets.json', { subject: 'x', custom_fields: all });
      expect([added.status, faultsOf(added)]).toEqual([403, refused.map((key) => `custom_fields.${key}`)]);
      const path = await addTicket(customer, { custom_fields: { [open.key]: 1 } });
      await agent('PATCH', path, { custom_fields: { [shown.key]: 's', [hidden.key]: 'h' } });
      const edited = await customer('PATCH', path, { custom_fields: { ...all, [open.key]: 2 } });
      expect([edited.status, faultsOf(edited)]).toEqual([403, refused.map((key) => `custom_fields.${key}`)]);
      const cleared = await customer('PATCH', path, { custom_fields: { [shown.key]: null } });
      expect(faultsOf(cleared)).toEqual([`custom_fields.${shown.key}`]);
      expect(faultsOf(await customer('PATCH', path, { custom_fields: { [open.key]: 'x' } }))).toEqual([
        `custom_fields.${open.key}`,
      ]);
      expect((await customer('PATCH', path, { custom_fields: { [open.key]: 3 } })).status).toBe(200);
      expect(await valuesOf(agent, path)).toEqual({ [open.key]: 3, [shown.key]: 's', [hidden.key]: 'h' });
      for (const { path: definition } of [open, shown, hidden]) await admin('DELETE', definition);
    });

    test('is asked for what they may give, and for nothing else', async () => {
      const shared = { required_on: ['create', 'solve'] };
      const open = await define({ ...shared, visible_to_customers: true, editable_by_customers: true });
      const hidden = await define(shared);
      const added = await customer('POST', '/tickets.json', { subject: 'x' });
      expect([added.status, faultsOf(added)]).toEqual([400, [`custom_fields.${open.key}`]]);
      const path = await addTicket(customer, { custom_fields: { [open.key]: 'x' } });
      expect((await customer('PUT', path, { status: 'solved' })).status).toBe(200);
      for (const { path: definition } of [open, hidden]) await admin('DELETE', definition);
    });

    test('gets another entity tag when a field is shown, hidden, and shown again with another value', async () => {
      const { key, path: definition } = await define({ visible_to_customers: true });
      const path = await addTicket(customer);
      await agent('PUT', path, { custom_fields: { [key]: 'one' } });
      const paths = [path, '/tickets.json', path.replace('.json', '/events.json'), '/changes.json'];
      const tags = async () => {
        const answers = await Promise.all(paths.map((each) => customer('GET', each)));
        return answers.map(({ headers }) => headers.get('ETag') ?? '');
      };
      const shown = await tags();
      await admin('PUT', definition, { visible_to_customers: false });
      const hidden = await tags();
      await agent('PUT', path, { custom_fields: { [key]: 'two' } });
      expect(await tags()).toEqual(hidden);
      await admin('PUT', definition, { visible_to_customers: true });
      const again = await tags();
      for (const [i] of paths.entries()) {
        expect(hidden[i], paths[i]).not.toBe(shown[i]);
        expect(again[i], paths[i]).not.toBe(hidden[i]);
      }
      expect(again[0]).not.toBe(shown[0]);
      const stale = await customer('PUT', path, { subject: 'x' }, { 'If-Match': shown[0] ?? '' });
      expect(stale.status).toBe(412);
      await admin('DELETE', definition);
      expect((await customer('GET', path.replace('.json', '/events.json'))).text).not.toContain(key);
    });

    test('no longer sees through another process what was hidden a second ago', async () => {
      const { key, path: definition } = await define({ visible_to_customers: true });
      const path = await addTicket(customer);
      await agent('PUT', path, { custom_fields: { [key]: 'secret' } });
      const there = signIn(elsewhere, 'customer', 'ada@example.com');
      await sleep(1_100);
      expect(await valuesOf(there, path)).toEqual({ [key]: 'secret' });
      await admin('PUT', definition, { visible_to_customers: false });
      await sleep(1_100);
      expect(await valuesOf(there, path)).toEqual({});
      await admin('DELETE', definition);
    });
  });
}

describe('custom fields on SQLite', () => customFields(createSqliteDatabase));

describeWith('mongodb', 'custom fields on MongoDB', (url) => customFields(() => createMongoDatabase(url)));

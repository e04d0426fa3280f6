import { describeWith } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import {
  createMongoDatabase,
  createSqliteDatabase,
  type TestDatabase,
} from '../../storage/test-database.fixture.ts';
import { faultsOf, useFieldsWorld } from './fields-world.fixture.ts';

function values(createDatabase: () => Promise<TestDatabase>): void {
  const world = useFieldsWorld(createDatabase);

  test.each<[type: string, good: unknown[], bad: unknown[]]>([
    ['text', ['x', '', null], [1, true, ['x']]],
    ['integer', [0, -7, 9_007_199_254_740_991, null], ['1', 1.5, 1e300, true]],
    ['decimal', ['12.5', '-0.05', null], [12.5, '1e3', '', '.5', 'x', ' 1']],
    ['boolean', [true, false, null], ['true', 1]],
    ['date', ['2024-02-29', null], ['2026-02-29', '2026-1-1', '2026-01-01T00:00:00Z', '']],
    ['select', ['a', null], ['c', '', ['a']]],
    ['multi_select', [['b', 'a'], [], null], ['a', ['c'], ['a', 'a']]],
  ])('of type %s are validated when tickets are added and edited', async (type, good, bad) => {
    const { agent, withField, addTicket } = world();
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

  test('of type decimal are stored exactly, in canonical form', async () => {
    const { agent, withField, addTicket, valuesOf } = world();
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

  test('are limited to 65,536 characters per ticket across requests, and can be sent back together', async () => {
    const { agent, addTicket } = world();
    const lists = { first: Array(8).fill('&'.repeat(4096)), other: Array(7).fill('&'.repeat(4096)) };
    const path = await addTicket(agent, { description: '&'.repeat(65_536), custom_fields: lists });
    const last = 65_536 - 15 * 4096 - 'firstotherlast'.length;
    const patch = (length: number) => agent('PATCH', path, { custom_fields: { last: '&'.repeat(length) } });
    const refused = await patch(last + 1);
    expect([refused.status, faultsOf(refused)]).toEqual([400, ['custom_fields']]);
    expect((await patch(last)).status).toBe(200);
    const whole = await agent('GET', path.replace('.json', '.xml'));
    const type = { 'Content-Type': 'application/xml' };
    expect((await agent('PUT', path, whole.text, type)).json.version).toBe(2);
    const added = await agent('POST', '/tickets.json', {
      subject: 'x',
      custom_fields: { ...lists, last: [...lists.first] },
    });
    expect([added.status, faultsOf(added)]).toEqual([400, ['custom_fields']]);
  });

  test.each(['integer', 'boolean', 'multi_select'])(
    'older than their definition stay text under type %s when the ticket is sent back in XML',
    async (type) => {
      const { agent, addTicket, define, admin, valuesOf } = world();
      const { key, path: definition } = await define();
      const values = ['', '7', 'true', 'a', 'gone'];
      const paths = [];
      for (const value of values) paths.push(await addTicket(agent, { custom_fields: { [key]: value } }));
      const options = type === 'multi_select' ? ['a'] : [];
      expect((await admin('PATCH', definition, { type, options })).status).toBe(200);
      for (const [i, path] of paths.entries()) {
        const { text } = await agent('GET', path.replace('.json', '.xml'));
        const answer = await agent('PUT', path, text, { 'Content-Type': 'application/xml' });
        const told = [answer.status, answer.headers.get('keydesk-changed'), await valuesOf(agent, path)];
        expect(told).toEqual([200, 'false', { [key]: values[i] }]);
      }
      await admin('DELETE', definition);
    },
  );

  test('are limited to 200 for every role, and can be sent back together', async () => {
    const { agent, customer, addTicket, define, admin } = world();
    const ofCustomers = { visible_to_customers: true, editable_by_customers: true };
    const [one, other] = [await define(ofCustomers), await define(ofCustomers)];
    const path = await addTicket(customer);
    const lists = Array.from({ length: 199 }, (_, i) => [`hidden_${i}`, Array(100).fill('')]);
    expect((await agent('PUT', path, { custom_fields: Object.fromEntries(lists) })).status).toBe(200);
    expect((await customer('PUT', path, { custom_fields: { [one.key]: 'x' } })).status).toBe(200);
    const both = { [one.key]: 'x', [other.key]: 'y' };
    const refused = await customer('PUT', path, { custom_fields: both });
    expect([refused.status, faultsOf(refused)]).toEqual([400, ['custom_fields']]);
    expect(faultsOf(await agent('PATCH', path, { custom_fields: both }))).toEqual(['custom_fields']);
    const whole = await agent('GET', path);
    expect((await agent('PUT', path, { ...whole.json, subject: 'In JSON' })).json.subject).toBe('In JSON');
    const xml = (await agent('GET', path.replace('.json', '.xml'))).text.replace('In JSON', 'In XML');
    const sent = await agent('PUT', path, xml, { 'Content-Type': 'application/xml' });
    expect(sent.json.subject, sent.text).toBe('In XML');
    for (const { path: definition } of [one, other]) await admin('DELETE', definition);
  });

  test('that are hidden from a customer do not count towards the limit of the customer', async () => {
    const { agent, customer, addTicket, withField } = world();
    const ofCustomers = { visible_to_customers: true, editable_by_customers: true };
    const path = await addTicket(customer);
    const hidden = { secret: Array(15).fill('x'.repeat(4096)) };
    expect((await agent('PUT', path, { custom_fields: hidden })).status).toBe(200);
    await withField(ofCustomers, async (key) => {
      const custom_fields = { [key]: 'x'.repeat(4096) };
      expect((await customer('PUT', path, { custom_fields })).status).toBe(200);
      expect((await agent('PATCH', path, { custom_fields: { secret: null } })).status).toBe(200);
    });
  });

  test('in forms and in XML without types are converted to the defined type', async () => {
    const { admin, agent, define } = world();
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
    const { agent, addTicket, valuesOf } = world();
    const path = await addTicket(agent, { custom_fields: { undefined_one: [] } });
    expect(await valuesOf(agent, path)).toEqual({ undefined_one: [] });
  });

  test('with a removed option stay until they are changed', async () => {
    const { admin, agent, define, addTicket } = world();
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

  test('are retained when the type of their definition changes or the definition is removed', async () => {
    const { admin, agent, define, addTicket, valuesOf } = world();
    const { key, path } = await define();
    const ticket = await addTicket(agent, { custom_fields: { [key]: 'words' } });
    await admin('PUT', path, { type: 'integer' });
    await agent('PATCH', ticket, { subject: 'Other' });
    expect(await valuesOf(agent, ticket)).toEqual({ [key]: 'words' });
    await admin('DELETE', path);
    expect(await valuesOf(agent, ticket)).toEqual({ [key]: 'words' });
    expect((await agent('PATCH', ticket, { custom_fields: { [key]: true } })).status).toBe(200);
  });

  test('that are required on creation can’t be missing, nor removed later', async () => {
    const { agent, withField, addTicket } = world();
    const earlier = await addTicket(agent);
    await withField({ required_on: ['create'] }, async (key) => {
      const field = `custom_fields.${key}`;
      for (const custom_fields of [{}, { [key]: null }, { [key]: '' }, { [key]: ' \n' }]) {
        const answer = await agent('POST', '/tickets.json', { subject: 'x', custom_fields });
        expect([answer.status, faultsOf(answer)]).toEqual([400, [field]]);
      }
      const path = await addTicket(agent, { custom_fields: { [key]: 'x' } });
      expect(faultsOf(await agent('PUT', path, { custom_fields: {} }))).toEqual([field]);
      expect((await agent('PUT', earlier, { priority: 'high' })).status).toBe(200);
    });
  });

  test('that are required on solving are listed when missing, both by an edit and by a reply', async () => {
    const { admin, agent, define, addTicket } = world();
    const fields = [await define({ required_on: ['solve'] }), await define({ required_on: ['solve'] })];
    const path = await addTicket(agent);
    const replies = path.replace('.json', '/replies.json');
    const missing = fields.map(({ key }) => `custom_fields.${key}`);
    const edited = await agent('PUT', path, { status: 'solved' });
    const replied = await agent('POST', replies, { body: 'Done.', status: 'solved' });
    const addedSolved = await agent('POST', '/tickets.json', { subject: 'x', status: 'solved' });
    const addedClosed = await agent('POST', '/tickets.json', { subject: 'x', status: 'closed' });
    for (const answer of [edited, replied, addedSolved, addedClosed]) {
      expect([answer.status, faultsOf(answer)]).toEqual([400, missing]);
    }
    const custom_fields = Object.fromEntries(fields.map(({ key }) => [key, 'x']));
    expect((await agent('PUT', path, { custom_fields })).status).toBe(200);
    expect((await agent('POST', replies, { body: 'Done.', status: 'solved' })).status).toBe(201);
    for (const { path: definition } of fields) await admin('DELETE', definition);
  });
}

describe('values of custom fields on SQLite', () => values(createSqliteDatabase));

describeWith('mongodb', 'values of custom fields on MongoDB', (url) =>
  values(() => createMongoDatabase(url)),
);

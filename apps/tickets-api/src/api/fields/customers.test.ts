import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import {
  createMongoDatabase,
  createSqliteDatabase,
  type TestDatabase,
} from '../../storage/test-database.fixture.ts';
import { withoutRequestId } from '../../tests/api.fixture.ts';
import { faultsOf, useFieldsWorld } from './fields-world.fixture.ts';

function customers(createDatabase: () => Promise<TestDatabase>): void {
  const world = useFieldsWorld(createDatabase);

  test('sees only the definitions and values of visible fields, in every response', async () => {
    const { admin, agent, customer, define, addTicket, valuesOf } = world();
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
    const none = await customer('GET', hidden.path);
    const removed = hidden.path.replace(/.{8}\.json/, '00000000.json');
    const never = await customer('GET', removed);
    expect([none.status, withoutRequestId(none)]).toEqual([404, withoutRequestId(never)]);
    for (const { path: definition } of [shown, hidden]) await admin('DELETE', definition);
  });

  test('can set only editable fields, and gets an error for each other field', async () => {
    const { admin, agent, customer, define, addTicket, valuesOf } = world();
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

  test('must set only required fields that customers can edit', async () => {
    const { admin, customer, define, addTicket } = world();
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
    const { admin, agent, customer, define, addTicket } = world();
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

  test('no longer sees a field in another process a second after it was hidden', async () => {
    const { admin, agent, customer, customerElsewhere, define, addTicket, valuesOf } = world();
    const { key, path: definition } = await define({ visible_to_customers: true });
    const path = await addTicket(customer);
    await agent('PUT', path, { custom_fields: { [key]: 'secret' } });
    await sleep(1_100);
    expect(await valuesOf(customerElsewhere, path)).toEqual({ [key]: 'secret' });
    await admin('PUT', definition, { visible_to_customers: false });
    await sleep(1_100);
    expect(await valuesOf(customerElsewhere, path)).toEqual({});
    await admin('DELETE', definition);
  });
}

describe('custom fields: a customer on SQLite', () => customers(createSqliteDatabase));

describeWith('mongodb', 'custom fields: a customer on MongoDB', (url) =>
  customers(() => createMongoDatabase(url)),
);

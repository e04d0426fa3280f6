import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import type { Answer } from '../../tests/api.fixture.ts';
import { faultsOf, useDefinitionsWorld } from '../definitions/definitions-world.fixture.ts';

const fieldsOf = (answer: Answer) => (answer.json.errors as { field: string }[]).map(({ field }) => field);
const asForm = { 'Content-Type': 'application/x-www-form-urlencoded' };

function allFaults(createDatabase: () => Promise<TestDatabase>): void {
  const world = useDefinitionsWorld(createDatabase);

  test('of a new ticket are reported together: wrong types, undefined ids and invalid values', async () => {
    const { admin, agent } = world();
    const floor = { key: 'floor', title: 'Floor', type: 'integer', visible_to_customers: false };
    await admin('POST', '/ticket_fields.json', floor);
    const undefinedIds = { status: 'lost', type: 'riddle', priority: 'whenever' };
    const all = { ...undefinedIds, subject: '', custom_fields: { floor: 'attic' }, colour: 'red' };
    const refused = await agent('POST', '/tickets.json', all);
    expect([refused.status, refused.json.code]).toEqual([400, 'validation_failed']);
    expect(fieldsOf(refused).toSorted()).toEqual([
      'colour',
      'custom_fields.floor',
      'priority',
      'status',
      'subject',
      'type',
    ]);
    const others = await agent('POST', '/tickets.json', { ...all, subject: 'x', colour: undefined });
    expect(fieldsOf(others)).toEqual(['status', 'type', 'priority', 'custom_fields.floor']);
    const form = await agent('POST', '/tickets.json', 'subject=&type=riddle&custom_fields[floor]=3', asForm);
    expect(fieldsOf(form)).toEqual(['subject', 'type']);
    const imported = await agent('PUT', '/tickets/external/A7.json', all);
    expect(fieldsOf(imported)).toEqual(expect.arrayContaining(['colour', 'subject', 'status', 'type']));
  });

  test('of a change are reported together, without a hidden status that the ticket keeps', async () => {
    const { admin, agent, define, addTicket } = world();
    const hidden = await define('type');
    const path = await addTicket(agent, { type: hidden.id });
    await admin('PATCH', hidden.path, { hidden: true });
    const body = { type: hidden.id, status: 'lost', priority: 'whenever', subject: 7 };
    for (const method of ['PUT', 'PATCH']) {
      const refused = await agent(method, path, body);
      expect([refused.status, fieldsOf(refused)]).toEqual([400, ['subject', 'status', 'priority']]);
    }
    const reply = { body: '', status: 'lost' };
    const refused = await agent('POST', path.replace('.json', '/replies.json'), reply);
    expect([refused.status, fieldsOf(refused)]).toEqual([400, ['body', 'status']]);
  });

  test('reveal nothing to customers about custom fields that they cannot set', async () => {
    const { admin, customer } = world();
    await admin('POST', '/ticket_fields.json', { key: 'secret', title: 'Secret', type: 'integer' });
    const refused = await customer('POST', '/tickets.json', { subject: '', custom_fields: { secret: 'x' } });
    expect([refused.status, faultsOf(refused)]).toEqual([400, ['subject must not be empty']]);
  });
}

describe('the errors of a body', () => {
  onEveryEngine(allFaults);
});

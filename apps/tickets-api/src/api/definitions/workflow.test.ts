import { describe, expect, test } from 'vitest';
import { statusCategories } from '../../helpdesk/definitions/definition.ts';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { type Added, ticketIdOf, useDefinitionsWorld } from './definitions-world.fixture.ts';

function workflow(createDatabase: () => Promise<TestDatabase>): void {
  const world = useDefinitionsWorld(createDatabase);

  test('allows the transitions of the category, and all statuses of the same category', async () => {
    const { agent, define, addTicket } = world();
    for (const category of statusCategories) {
      const [one, other] = [await define('status', { category }), await define('status', { category })];
      const { json } = await agent('GET', one.path);
      const { ticket_statuses } = (await agent('GET', '/ticket_statuses.json')).json;
      for (const { id } of ticket_statuses as { id: string }[]) {
        if (id === one.id) continue;
        const path = await addTicket(agent, { status: one.id });
        const isAllowed = (json.can_become as string[]).includes(id);
        expect((await agent('PUT', path, { status: id })).status, `${category} → ${id}`).toBe(
          isAllowed ? 200 : 409,
        );
      }
      expect((json.can_become as string[]).includes(other.id)).toBe(category !== 'closed');
      expect((json.can_become as string[]).includes('new')).toBe(category === 'new');
    }
  });

  test('allows only the transitions of a status if it defines some', async () => {
    const { agent, define, addTicket } = world();
    const { id } = await define('status', { category: 'open', transitions: ['hold'] });
    const path = await addTicket(agent, { status: id });
    const refused = await agent('PUT', path, { status: 'solved' });
    expect([refused.status, refused.json.code, refused.json.allowed]).toEqual([
      409,
      'transition_not_allowed',
      ['hold'],
    ]);
    expect((await agent('PUT', path, { status: 'hold' })).status).toBe(200);
  });

  test('reopens pending and solved tickets regardless of transitions', async () => {
    const { agent, customer, define, addTicket } = world();
    for (const category of ['pending', 'solved'] as const) {
      const { id } = await define('status', { category, transitions: [] });
      const path = await addTicket(customer);
      const entered = await agent('PUT', path, { status: id });
      expect(entered.json.solved_at !== null).toBe(category === 'solved');
      await customer('POST', path.replace('.json', '/replies.json'), { body: 'Still on fire.' });
      const { json } = await agent('GET', path);
      expect(json).toMatchObject({ status: 'open', status_category: 'open' });
    }
  });

  test('solves and closes by category: times, rights, required fields and follow-ups', async () => {
    const { admin, agent, customer, define, addTicket } = world();
    const [solved, solvedToo] = [
      await define('status', { category: 'solved' }),
      await define('status', { category: 'solved' }),
    ];
    const closed = await define('status', { category: 'closed' });
    const field = { key: 'cause', title: 'Cause', type: 'text', required_on: ['solve'] };
    const { json: required } = await admin('POST', '/ticket_fields.json', field);
    const path = await addTicket(agent);
    expect((await agent('PUT', path, { status: solved.id })).json.errors).toMatchObject([
      { field: 'custom_fields.cause' },
    ]);
    await admin('DELETE', `/ticket_field/${required.id}.json`);

    const own = await addTicket(customer);
    expect((await customer('PUT', own, { status: 'hold' })).status).toBe(403);
    const first = await customer('PUT', own, { status: solved.id });
    expect(first.json).toMatchObject({ status_category: 'solved', waiting_since: null });
    expect(first.json.solved_at).toBe(first.json.updated_at);
    const moved = await agent('PUT', own, { status: solvedToo.id });
    expect(moved.json.solved_at).toBe(first.json.solved_at);
    const atEnd = await agent('PUT', own, { status: closed.id });
    expect(atEnd.json).toMatchObject({ status_category: 'closed', closed_at: atEnd.json.updated_at });
    const refused = await agent('PUT', own, { subject: 'x' });
    expect([refused.json.code, refused.json.allowed]).toEqual(['ticket_closed', []]);
    await addTicket(customer, { follow_up_of: ticketIdOf(own) });
  });

  test('of a new ticket follows the category of its first status', async () => {
    const { agent, define } = world();
    const added: Added[] = [];
    for (const category of statusCategories) added.push(await define('status', { category }));
    for (const { id, json } of added) {
      const { json: ticket } = await agent('POST', '/tickets.json', { subject: 'x', status: id });
      expect(ticket).toMatchObject({ status: id, status_category: json.category });
      expect(ticket.solved_at !== null).toBe(json.category === 'solved');
      expect(ticket.closed_at !== null).toBe(json.category === 'closed');
    }
  });
}

describe('the workflow of added statuses', () => {
  onEveryEngine(workflow);
});

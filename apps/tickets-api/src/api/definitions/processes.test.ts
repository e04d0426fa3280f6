import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { faultsOf, ticketIdOf, useDefinitionsWorld } from './definitions-world.fixture.ts';

/** Maximum age of the definitions that a process has cached. */
const STALE_MS = 1_000;

function processes(createDatabase: () => Promise<TestDatabase>): void {
  const world = useDefinitionsWorld(createDatabase);

  test('takes effect in another process within a second: added, hidden, reordered and removed', async () => {
    const { admin, agentElsewhere, define, addTicket, idsOf } = world();
    // The other process has filled its cache.
    await idsOf(agentElsewhere, 'status=open');
    const status = await define('status', { category: 'solved' });
    const priority = await define('priority', { rank: 25 });
    await sleep(STALE_MS);
    const path = await addTicket(agentElsewhere, { status: status.id, priority: priority.id });
    const low = await addTicket(agentElsewhere, { status: status.id, priority: 'low' });
    expect((await agentElsewhere('GET', path)).json.status_category).toBe('solved');
    const byPriority = `status=${status.id}&sort=priority`;
    expect(await idsOf(agentElsewhere, byPriority)).toEqual([low, path].map(ticketIdOf));

    await admin('PATCH', status.path, { hidden: true });
    await admin('PATCH', priority.path, { rank: 5 });
    await sleep(STALE_MS);
    const refused = await agentElsewhere('PUT', await addTicket(agentElsewhere), { status: status.id });
    expect(faultsOf(refused)[0]).toContain(`${status.id} is hidden`);
    expect(await idsOf(agentElsewhere, byPriority)).toEqual([path, low].map(ticketIdOf));

    await admin('DELETE', `${status.path}?replace_with=solved`);
    await sleep(STALE_MS);
    const unknown = await agentElsewhere('GET', `/tickets.json?status=${status.id}`);
    expect([unknown.status, faultsOf(unknown)[0]]).toEqual([
      400,
      expect.stringMatching(/^status must be one of/),
    ]);
    expect((await agentElsewhere('GET', path)).json.status).toBe('solved');
  });

  test('lets no process choose a removed definition, even before its cache expires', async () => {
    const { admin, agentElsewhere, define, addTicket } = world();
    for (let round = 0; round < 3; round++) {
      const { id, path } = await define('type');
      await sleep(STALE_MS);
      const ticket = await addTicket(agentElsewhere);
      expect((await admin('DELETE', path)).status).toBe(200);
      const refused = await agentElsewhere('PUT', ticket, { type: id });
      expect([refused.status, faultsOf(refused)[0]]).toEqual([400, expect.stringMatching(/^type must be/)]);
    }
  });
}

describe('a definition changed by one process', () => {
  onEveryEngine(processes);
});

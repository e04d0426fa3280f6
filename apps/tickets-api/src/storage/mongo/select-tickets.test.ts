import { randomUUID } from 'node:crypto';
import { openMongo } from '@keydesk/storage/mongo';
import { describeWith } from '@keydesk/testing';
import type { Connection, Model } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drivenFilters, position, sorts } from '../list-queries.fixture.ts';
import { migrateTickets } from './migrate-tickets.ts';
import { selectTickets } from './select-tickets.ts';
import { createTicketModel, type TicketDocument } from './ticket-model.ts';

interface Explained {
  queryPlanner: { winningPlan: Stage };
}

interface Stage {
  stage: string;
  indexName?: string;
  inputStage?: Stage;
}

describeWith('mongodb', 'the query of a list', (url) => {
  let connection: Connection;
  let tickets: Model<TicketDocument>;

  beforeAll(async () => {
    connection = await openMongo({ url, database: `plans-${randomUUID().slice(0, 8)}` });
    tickets = createTicketModel(connection);
    await migrateTickets(tickets);
  });
  afterAll(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  describe.each(drivenFilters)('with %j', (filter, driver) => {
    it.each(sorts)('walks one index, by $field $direction', async (sort) => {
      for (const after of [undefined, position]) {
        const query = { filter, sort, limit: 50, ...(after && { after }) };
        const explained: unknown = await selectTickets(tickets, query).explain('queryPlanner');
        const stages = stagesOf((explained as Explained).queryPlanner.winningPlan);
        expect(stages.map(({ stage }) => stage)).not.toContain('COLLSCAN');
        const walks = stages.filter(({ stage }) => stage === 'IXSCAN');
        expect(walks).toMatchObject([{ indexName: driver ? `${driver}_${sort.field}` : sort.field }]);
      }
    });
  });

  it('finds its indexes made, however often they are asked for', async () => {
    await Promise.all([migrateTickets(tickets), migrateTickets(tickets)]);
    const names = (await tickets.collection.indexes()).map(({ name }) => name);
    expect(names).toHaveLength(new Set(names).size);
    expect(names).toHaveLength(15);
  });
});

function stagesOf(stage: Stage): Stage[] {
  return stage.inputStage ? [stage, ...stagesOf(stage.inputStage)] : [stage];
}

import { randomUUID } from 'node:crypto';
import { createCollections } from '@keydesk/storage/mongo-indexes';
import { describeWith } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import type { TicketFilter } from '../../../helpdesk/list/ticket-filter.ts';
import { wordOrders } from '../../../helpdesk/tickets/ticket-store.ts';
import { type ListPart, toParts } from '../../list-plan.ts';
import { drivenFilters, position, sorts } from '../../list-queries.fixture.ts';
import { explainWalks } from '../explained.fixture.ts';
import { useModels } from '../models.fixture.ts';
import { listCollections } from '../schema.ts';
import { selectDue, selectTickets } from './list-reader.ts';
import { due } from './ticket-indexes.ts';

const readersLists: readonly TicketFilter[] = [
  {},
  { status: { any: ['open'] } },
  { requester: { any: ['ada@example.com'] } },
];

describeWith('mongodb', 'list queries in MongoDB', (url) => {
  const models = useModels(url);

  describe.each(drivenFilters)('with %j', (filter, driver, next) => {
    it.each(sorts)('use one index, by $field $direction', async (sort) => {
      const words = [driver, sort.field === 'created_at' && next, sort.field];
      await expectWalk({ filter, sort, limit: 50 }, `list_by_${words.filter(Boolean).join('_')}`);
    });
  });

  describe.each(readersLists)('of a reader with %j', (filter) => {
    it.each(sorts)('use one index, by $field $direction', async (sort) => {
      await expectWalk({ filter, sort, limit: 50, reader: randomUUID() }, `list_by_reader_${sort.field}`);
    });
  });

  it.each(['priority', 'status'] as const)('by %s use the index of each word in turn', async (field) => {
    const parts = toParts({ filter: {}, sort: { field, direction: 'desc' }, limit: 50 });
    expect(parts.map(({ path }) => path?.[0])).toEqual(wordOrders[field].toReversed());
    for (const part of parts) await expectWalk(part, `list_by_${field}_created_at`);
  });

  it.each([
    [
      'waiting_since',
      { status: { any: ['open'] } },
      'list_by_status_waiting_since',
      'list_by_status_created_at',
    ],
    [
      'last_reply_at',
      { assignee: { any: ['a'] } },
      'list_by_assignee_last_reply_at',
      'list_by_assignee_created_at',
    ],
    [
      'last_customer_reply_at',
      { tag: { any: ['a'] } },
      'list_by_last_customer_reply_at',
      'list_by_tag_created_at',
    ],
  ] as const)(
    'by %s list tickets with a value first, then tickets without one',
    async (field, filter, some, none) => {
      for (const direction of ['asc', 'desc'] as const) {
        const parts = toParts({ filter, sort: { field, direction }, limit: 50 });
        expect(parts.map(({ path }) => path)).toEqual([['some'], ['none']]);
        for (const [i, part] of parts.entries()) await expectWalk(part, i === 0 ? some : none);
      }
    },
  );

  it('by number of replies use one index', async () => {
    const query = { filter: {}, sort: { field: 'reply_count', direction: 'desc' }, limit: 50 } as const;
    expect(await explainWalks(selectTickets(models.tickets, query))).toEqual(['list_by_reply_count']);
  });

  it.each(sorts)('by ids use the index of ids, by $field $direction', async (sort) => {
    const filter = { id: { any: [position.id, randomUUID()] }, status: { any: ['open'] } };
    await expectWalk({ filter, sort, limit: 50 }, '_id_');
  });

  it.each(sorts)('of deleted tickets use one index, by $field $direction', async (sort) => {
    await expectWalk({ filter: {}, sort, limit: 50, isDeleted: true }, `list_by_${sort.field}`);
  });

  it.each(['deleted', 'solved'] as const)('of tickets %s long ago use one index', async (what) => {
    const query = selectDue(models.tickets, { what, before: new Date(position.value), limit: 50 });
    expect(await explainWalks(query)).toEqual([due[what].index]);
  });

  it('have the same indexes after repeated creation', async () => {
    const create = () => createCollections(models.feeds.db, listCollections(models));
    await Promise.all([create(), create()]);
    const names = (await models.tickets.collection.indexes()).map(({ name }) => name);
    expect(names).toHaveLength(new Set(names).size);
    expect(names).toHaveLength(41);
  });

  async function expectWalk(query: ListPart, name: string): Promise<void> {
    for (const page of [query, { ...query, after: position }]) {
      expect(await explainWalks(selectTickets(models.tickets, page))).toEqual([name]);
    }
  }
});

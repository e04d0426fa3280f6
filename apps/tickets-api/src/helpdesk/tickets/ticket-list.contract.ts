import { beforeAll, describe, expect, it } from 'vitest';
import { matches, select, toPosition } from '../../api/tickets/filter-reference.fixture.ts';
import { changed, newReference, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { adding, changing, purging, toRecord } from '../commit/ticket-commit.fixture.ts';
import type { TicketRecord } from '../commit/ticket-commit.ts';
import { builtInPriorities, builtInTypes } from '../definitions/built-in.ts';
import { statusCategories } from '../definitions/definition.ts';
import type { TicketFilter } from '../list/ticket-filter.ts';
import type { TicketPosition, TicketQuery, TicketSort, ValueSort } from './ticket-store.ts';

const timeSorts: readonly ValueSort[] = (['created_at', 'updated_at', 'due_at'] as const).flatMap((field) =>
  (['asc', 'desc'] as const).map((direction) => ({ field, direction })),
);
/** Sorts of this suite. Lists by words are slow because they are read word by word; other suites vary them at random. */
const sorts: readonly TicketSort[] = [
  ...timeSorts,
  { field: 'priority', direction: 'desc' },
  { field: 'status', direction: 'asc' },
  { field: 'waiting_since', direction: 'asc' },
  { field: 'last_reply_at', direction: 'desc' },
  { field: 'reply_count', direction: 'desc' },
  { field: 'priority', direction: 'desc', next: { field: 'created_at', direction: 'asc' } },
  { field: 'priority', direction: 'asc', next: { field: 'waiting_since', direction: 'desc' } },
  { field: 'status', direction: 'desc', next: { field: 'priority', direction: 'asc' } },
];

const times = [
  '2026-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.001Z',
  '2026-01-31T23:59:59.999Z',
  '2026-06-01T00:00:00.000Z',
] as const;
const [first, second, third, last] = times;
const ada = newReference({ email: 'ada@example.com', name: 'Ada' });
const bob = newReference({ email: 'bob@example.com' });

const filters: readonly TicketFilter[] = [
  {},
  { status: { any: ['open'] } },
  { priority: { any: ['urgent'] } },
  { type: { any: ['task'] } },
  { requester: { any: [ada.id] } },
  { assignee: { any: [bob.id] } },
  { tag: { any: ['printer'] } },
  ...(['created_at', 'updated_at'] as const).flatMap((field) => [
    { [field]: { gte: second } },
    { [field]: { gt: second } },
    { [field]: { lte: third } },
    { [field]: { lt: third } },
    { [field]: { gte: second, lte: third } },
    { [field]: { gt: first, lt: last } },
    { [field]: { gt: first, gte: second, lt: last, lte: third } },
  ]),
  { created_at: { gte: second }, updated_at: { lt: last } },
  { status: { any: ['open'] }, created_at: { gte: second } },
  { tag: { any: ['printer'] }, updated_at: { gt: first, lte: third } },
  { tag: { any: ['printer'] }, requester: { any: [ada.id] } },
  { tag: { any: ['printer'] }, priority: { any: ['low'] } },
  { requester: { any: [ada.id] }, assignee: { any: [bob.id] } },
  { status: { any: ['new'] }, priority: { any: ['low'] } },
  { type: { any: ['question'] }, priority: { any: ['low'] }, created_at: { lte: last } },
  {
    status: { any: ['new'] },
    priority: { any: ['low'] },
    type: { any: ['question'] },
    requester: { any: [ada.id] },
    assignee: { any: [ada.id] },
    tag: { any: ['printer'] },
    created_at: { gte: first, lt: second },
    updated_at: { lte: first },
  },
];

/** Tickets with every value of every filter, many with the same time, some visible to customers and some deleted. */
const records: readonly TicketRecord[] = Array.from({ length: 72 }, (_, i) => ({
  ticket: newTicket(
    {
      status: cycle(statusCategories, i),
      priority: cycle(builtInPriorities, i),
      type: cycle([...builtInTypes, null], i),
      requester: cycle([ada, bob, null], i),
      assignee: cycle([ada, null, bob, null, { ...bob, name: 'Bob' }], i),
      cc: cycle([[], [ada], [], [ada, bob], []], i),
      tags: cycle([['printer', 'fire'], ['fire'], [], ['printer']], i),
      due_at: cycle([...times, null, null], i),
      waiting_since: cycle([null, ...times, null], i),
      last_reply_at: cycle([null, null, ...times], Math.floor(i / 2)),
      reply_count: i % 4,
      updated_at: cycle(times, Math.max(Math.floor(i / 2) % times.length, Math.floor((i % 36) / 8))),
      deleted_at: i < 36 ? null : '2026-06-02T00:00:00.000Z',
    },
    cycle(times, Math.floor(i / 2)),
  ),
  publicVersion: 1,
  publicUpdatedAt: cycle(times, Math.floor(i / 3)),
}));

/** Views of the list: for staff, of deleted tickets, and for each customer. */
const views: readonly (readonly [string, Pick<TicketQuery, 'reader' | 'isDeleted'>])[] = [
  ['staff', {}],
  ['staff who look for what is deleted', { isDeleted: true }],
  ['a customer', { reader: ada.id }],
  ['another customer', { reader: bob.id }],
];

/** Contract of every ticket store for lists. */
export function ticketListContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a list of tickets', () => {
    const opened = openTwice(createDatabase);

    beforeAll(async () => {
      await opened.storage.tickets.commit(
        records.map((record) => ({ id: record.ticket.id, record, events: [], feedEntries: [] })),
      );
    });

    const list = (query: TicketQuery) => opened.other.tickets.list(query);

    describe.each(views)('of %s', (_, view) => {
      it.each(filters)('holds what matches %j and nothing else, in every order, in pages', async (filter) => {
        for (const sort of sorts) {
          const pages = await readPages({ ...view, filter, sort, limit: 7 });
          expect(pages.flat()).toStrictEqual(select(records, { ...view, filter, sort, limit: 100 }));
          expect(pages.slice(0, -1).every((page) => page.length === 7)).toBe(true);
        }
      });

      it.each(timeSorts)(
        'begins a page at the later of its bound and its position, by $field $direction',
        async (sort) => {
          const after = { id: '80000000-0000-4000-8000-000000000000' };
          const bounding = filters.filter(
            (filter) => sort.field in filter || Object.keys(filter).length === 0,
          );
          for (const [value, filter] of times.flatMap((time) =>
            bounding.map((each) => [time, each] as const),
          )) {
            const query = { ...view, filter, sort, after: { ...after, value }, limit: 3 };
            expect(await list(query)).toStrictEqual(select(records, query));
          }
        },
      );
    });

    it.each(filters)('has matches for %j', (filter) => {
      expect(records.filter((record) => matches(record, { filter }))).not.toEqual([]);
    });

    it.each<Pick<TicketQuery, 'filter' | 'reader'>>([
      { filter: { tag: { any: ['nobody-has-it'] } } },
      { filter: { requester: { any: ['nobody@example.com'] } } },
      { filter: { status: { any: ['new'] }, requester: { any: [bob.id] } } },
      { filter: { created_at: { gt: last } } },
      { filter: { updated_at: { lt: first } } },
      { filter: {}, reader: newReference().id },
    ])('is empty for %j', async (query) => {
      for (const sort of sorts) expect(await list({ ...query, sort, limit: 10 })).toEqual([]);
    });

    it.each(sorts)('has at most as many tickets as its limit, by $field $direction', async (sort) => {
      for (const limit of [1, 2, 35, 36, 37]) {
        const query = { filter: {}, sort, limit };
        expect(await list(query)).toStrictEqual(select(records, query));
      }
    });

    it('of a customer has a ticket only while they request it or are copied on it', async () => {
      const carol = newReference();
      const mine = async () =>
        (await list({ reader: carol.id, filter: {}, sort: anySort, limit: 10 })).map(
          ({ ticket }) => ticket.version,
        );
      const asked = newTicket({ requester: carol });
      const copied = changed(asked, { requester: null, cc: [carol] });
      const left = changed(copied, { cc: [] });
      const both = changed(left, { requester: carol, cc: [carol] });
      const deleted = changed(both, { deleted_at: last });
      const restored = changed(deleted, { deleted_at: null });
      await opened.storage.tickets.commit([adding(asked)]);
      const versions = [await mine()];
      for (const next of [copied, left, both, deleted, restored]) {
        await opened.storage.tickets.commit([changing(next)]);
        versions.push(await mine());
      }
      expect(versions).toEqual([[1], [2], [], [4], [], [6]]);
    });

    describe.each(sorts)('that changes while it is read, by $field $direction', (sort) => {
      const tag = `steady-${sort.field}-${sort.direction}`;
      const filter: TicketFilter = { tag: { any: [tag] } };
      const steady = times.flatMap((time) => [1, 2].map(() => toRecord(newTicket({ tags: [tag] }, time))));
      const expected = select(steady, { filter, sort, limit: 100 });

      beforeAll(() => opened.storage.tickets.commit(steady.map(({ ticket }) => adding(ticket))));

      it('returns each ticket once, in order', async () => {
        const added = times.map((time) => newTicket({ tags: [tag] }, time));
        const pages = await readPages({ filter, sort, limit: 2 }, async () => {
          const ticket = added.pop();
          if (ticket) await opened.storage.tickets.commit([adding(ticket)]);
        });
        const ids = pages.flat().map(({ ticket }) => ticket.id);
        expect(new Set(ids).size).toBe(ids.length);
        const isSteady = ({ ticket: { id } }: TicketRecord) => steady.some(({ ticket }) => ticket.id === id);
        expect(pages.flat().filter(isSteady)).toStrictEqual(expected);
      });

      it.each(['purged', 'deleted'])('continues after a ticket that was %s', async (how) => {
        const before = await list({ filter, sort, limit: 100 });
        const page = before.slice(0, 4);
        const gone = page[3]?.ticket ?? newTicket();
        await opened.storage.tickets.commit([
          how === 'purged' ? purging(gone) : changing(changed(gone, { deleted_at: last })),
        ]);
        const rest = await list({ filter, sort, after: endOf(page, sort), limit: 100 });
        expect(rest).toStrictEqual(before.slice(4));
      });
    });

    /** Reads all pages; `meanwhile` runs during each page except the first. */
    async function readPages(query: TicketQuery, meanwhile?: () => Promise<void>) {
      const pages = [await list(query)];
      for (let page = pages[0]; page && page.length === query.limit; page = pages.at(-1)) {
        const after = endOf(page, query.sort, query.reader);
        const [next] = await Promise.all([list({ ...query, after }), meanwhile?.()]);
        pages.push(next);
        if (pages.length > 50) throw new Error('The list does not end.');
      }
      return pages;
    }
  });
}

const anySort: TicketSort = { field: 'created_at', direction: 'asc' };

function endOf(page: readonly TicketRecord[], sort: TicketSort, reader?: string): TicketPosition {
  const record = page.at(-1);
  if (!record) throw new Error('An empty page has no end.');
  return toPosition(record, { sort, ...(reader !== undefined && { reader }) });
}

function cycle<T>(values: readonly T[], i: number): T {
  return values[i % values.length] as T;
}

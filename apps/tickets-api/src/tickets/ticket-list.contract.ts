import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTicket } from './new-ticket.fixture.ts';
import { type Ticket, ticketPriorities, ticketStatuses, ticketTypes } from './ticket.ts';
import type { TicketDatabase } from './ticket-store.contract.ts';
import type {
  TicketFilter,
  TicketPosition,
  TicketQuery,
  TicketSort,
  TicketStore,
  TimeRange,
} from './ticket-store.ts';

const sorts: readonly TicketSort[] = (['created_at', 'updated_at'] as const).flatMap((field) =>
  (['asc', 'desc'] as const).map((direction) => ({ field, direction })),
);

const times = [
  '2026-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.001Z',
  '2026-01-31T23:59:59.999Z',
  '2026-06-01T00:00:00.000Z',
] as const;
const [first, second, third, last] = times;
const ada = 'ada@example.com';
const bob = 'bob@example.com';

const filters: readonly TicketFilter[] = [
  {},
  { status: 'open' },
  { priority: 'urgent' },
  { type: 'task' },
  { requester: ada },
  { assignee: bob },
  { tag: 'printer' },
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
  { status: 'open', created_at: { gte: second } },
  { tag: 'printer', updated_at: { gt: first, lte: third } },
  { tag: 'printer', requester: ada },
  { tag: 'printer', priority: 'low' },
  { requester: ada, assignee: bob },
  { status: 'new', priority: 'low' },
  { type: 'question', priority: 'low', created_at: { lte: last } },
  {
    status: 'new',
    priority: 'low',
    type: 'question',
    requester: ada,
    assignee: ada,
    tag: 'printer',
    created_at: { gte: first, lt: second },
    updated_at: { lte: first },
  },
];

/** Tickets with every value of every filter, many of them of the same time. */
const tickets: readonly Ticket[] = Array.from({ length: 36 }, (_, i) => ({
  ...newTicket(
    {
      status: cycle(ticketStatuses, i),
      priority: cycle(ticketPriorities, i),
      type: cycle([...ticketTypes, null], i),
      requester: cycle([{ email: ada, name: 'Ada' }, { email: bob, name: null }, null], i),
      assignee: cycle(
        [{ email: ada, name: null }, null, { email: bob, name: 'Bob' }, null, { email: bob, name: null }],
        i,
      ),
      tags: cycle([['printer', 'fire'], ['fire'], [], ['printer']], i),
    },
    cycle(times, Math.floor(i / 2)),
  ),
  updated_at: cycle(times, Math.max(Math.floor(i / 2) % times.length, Math.floor(i / 8))),
}));

/** What every store of tickets promises of lists. */
export function ticketListContract(createDatabase: () => Promise<TicketDatabase>): void {
  describe('a list of tickets', () => {
    let database: TicketDatabase;
    let store: TicketStore;

    beforeAll(async () => {
      database = await createDatabase();
      store = await database.open();
      for (const ticket of tickets) await store.insert(ticket);
    });
    afterAll(async () => {
      await store.close();
      await database.drop();
    });

    it.each(filters)(
      'holds what matches %j and nothing else, in every order, whole and in pages',
      async (filter) => {
        expect(tickets.filter((ticket) => matches(ticket, filter))).not.toEqual([]);
        for (const sort of sorts) {
          const expected = select(tickets, { filter, sort, limit: 100 });
          expect(await store.list({ filter, sort, limit: 100 })).toStrictEqual(expected);
          const pages = await readPages({ filter, sort, limit: 4 });
          expect(pages.flat()).toStrictEqual(expected);
          expect(pages.slice(0, -1).every((page) => page.length === 4)).toBe(true);
        }
      },
    );

    it.each<TicketFilter>([
      { tag: 'nobody-has-it' },
      { requester: 'nobody@example.com' },
      { status: 'new', requester: bob },
      { created_at: { gt: last } },
      { updated_at: { lt: first } },
    ])('is empty for %j', async (filter) => {
      for (const sort of sorts) expect(await store.list({ filter, sort, limit: 10 })).toEqual([]);
    });

    it.each(sorts)('holds no more than its limit, by $field $direction', async (sort) => {
      for (const limit of [1, 2, 35, 36, 37]) {
        expect(await store.list({ filter: {}, sort, limit })).toStrictEqual(
          select(tickets, { filter: {}, sort, limit }),
        );
      }
    });

    it.each(sorts)(
      'begins a page at the later of its bound and its position, by $field $direction',
      async (sort) => {
        for (const [value, filter] of times.flatMap((time) => filters.map((each) => [time, each] as const))) {
          const query = {
            filter,
            sort,
            after: { value, id: '80000000-0000-4000-8000-000000000000' },
            limit: 3,
          };
          expect(await store.list(query)).toStrictEqual(select(tickets, query));
        }
      },
    );

    describe.each(sorts)('that others change while it is read, by $field $direction', (sort) => {
      const filter = { tag: `steady-${sort.field}-${sort.direction}` };
      const steady = times.flatMap((time) => [1, 2].map(() => newTicket({ tags: [filter.tag] }, time)));
      const expected = select(steady, { filter, sort, limit: 100 });

      beforeAll(() => Promise.all(steady.map((ticket) => store.insert(ticket))));

      it('shows each ticket once, in order', async () => {
        const added = times.map((time) => newTicket({ tags: [filter.tag] }, time));
        const pages = await readPages({ filter, sort, limit: 2 }, async () => {
          const ticket = added.pop();
          if (ticket) await store.insert(ticket);
        });
        const ids = pages.flat().map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(pages.flat().filter(({ id }) => steady.some((ticket) => ticket.id === id))).toStrictEqual(
          expected,
        );
      });

      it('goes on behind a ticket that has been removed', async () => {
        const before = await store.list({ filter, sort, limit: 100 });
        const page = before.slice(0, 5);
        await store.remove(page[4]?.id ?? '');
        const rest = await store.list({ filter, sort, after: endOf(page, sort), limit: 100 });
        expect(rest).toStrictEqual(before.slice(5));
      });
    });

    /** Reads page after page; `meanwhile` runs while each but the first is read. */
    async function readPages(
      query: TicketQuery,
      meanwhile?: () => Promise<void>,
    ): Promise<(readonly Ticket[])[]> {
      const pages = [await store.list(query)];
      for (let page = pages[0]; page && page.length === query.limit; page = pages.at(-1)) {
        const [next] = await Promise.all([
          store.list({ ...query, after: endOf(page, query.sort) }),
          meanwhile?.(),
        ]);
        pages.push(next);
        if (pages.length > 50) throw new Error('The list does not end.');
      }
      return pages;
    }
  });
}

/** The same in plain JavaScript. */
function select(all: readonly Ticket[], { filter, sort, after, limit }: TicketQuery): Ticket[] {
  const factor = sort.direction === 'asc' ? 1 : -1;
  return all
    .filter((ticket) => matches(ticket, filter))
    .filter((ticket) => !after || factor * compare(toPosition(ticket, sort), after) > 0)
    .sort((one, another) => factor * compare(toPosition(one, sort), toPosition(another, sort)))
    .slice(0, limit);
}

function matches(
  ticket: Ticket,
  { tag, requester, assignee, created_at, updated_at, ...same }: TicketFilter,
): boolean {
  return (
    (tag === undefined || ticket.tags.includes(tag)) &&
    (requester === undefined || ticket.requester?.email === requester) &&
    (assignee === undefined || ticket.assignee?.email === assignee) &&
    isWithin(ticket.created_at, created_at) &&
    isWithin(ticket.updated_at, updated_at) &&
    Object.entries(same).every(([name, value]) => ticket[name as keyof Ticket] === value)
  );
}

function isWithin(time: string, { gte, gt, lte, lt }: TimeRange = {}): boolean {
  return (
    (gte === undefined || time >= gte) &&
    (gt === undefined || time > gt) &&
    (lte === undefined || time <= lte) &&
    (lt === undefined || time < lt)
  );
}

function toPosition(ticket: Ticket, { field }: TicketSort): TicketPosition {
  return { value: ticket[field], id: ticket.id };
}

function endOf(page: readonly Ticket[], sort: TicketSort): TicketPosition {
  const ticket = page.at(-1);
  if (!ticket) throw new Error('An empty page has no end.');
  return toPosition(ticket, sort);
}

function compare(one: TicketPosition, another: TicketPosition): number {
  if (one.value !== another.value) return one.value < another.value ? -1 : 1;
  if (one.id !== another.id) return one.id < another.id ? -1 : 1;
  return 0;
}

function cycle<T>(values: readonly T[], i: number): T {
  return values[i % values.length] as T;
}

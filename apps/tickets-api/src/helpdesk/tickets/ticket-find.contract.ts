import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { select, toPosition } from '../../api/tickets/filter-reference.fixture.ts';
import { newReference, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import type { TicketRecord } from '../commit/ticket-commit.ts';
import { builtInPriorities, builtInTypes } from '../definitions/built-in.ts';
import { statusCategories } from '../definitions/definition.ts';
import {
  customFieldOperators,
  type FilterField,
  filterFields,
  ranges,
  type TicketFilter,
} from '../list/ticket-filter.ts';
import { type Ticket, ticketChannels } from './ticket.ts';
import { conversationTimes, type TicketQuery, type TicketSort } from './ticket-store.ts';

const times = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-03-01T00:00:00.000Z'] as const;
const people = ['ada', 'bob', 'eve'].map((name) => newReference({ email: `${name}@example.com`, name }));
const [ada, bob] = people;
const tags = ['printer', 'fire', 'vip'];
const texts = ['CRM-7', 'crm-7', 'a,b', '7', 'true', 'é', ''];
const tickets = [newTicket().id, newTicket().id, newTicket().id];
const customValues: Ticket['custom_fields'][string][] = [
  null,
  'red',
  '3',
  3,
  3.5,
  -2,
  0,
  true,
  false,
  'true',
  '',
  [],
  ['red', 'blue'],
  ['3'],
  '2026-01-31',
  '12.5',
  '12.45',
  '9.75',
  '-12.5',
  '-9',
  '0.5',
  '100000000000000000000000000001',
  '100000000000000000000000000002',
  // Values stored before the type of the field became decimal or date.
  '007',
  '12.50',
  '-0',
  '12.',
  '10.0.0.1',
  '12 kg',
  '2026-1-31',
  'tomorrow',
];
/** After this long a run counts with fewer queries. */
const BUSY_MACHINE_MS = 200_000;
const counts = ['1', '2', '10'];
const customBounds = [3, 3.5, -2, '2026-01-31', '2026-01-01'];
const decimalBounds = ['12.5', '12.45', '-12.5', '-10', '0', '3', '100000000000000000000000000001'];

/** Tickets of all kinds, the same in every run. */
const records: readonly TicketRecord[] = fc
  .sample(arbitraryRecord(), { numRuns: 160, seed: 7 })
  .map((record, i) => ({ ...record, ticket: { ...record.ticket, id: tickets[i] ?? record.ticket.id } }));

/** Contract of every ticket store for filters, checked against a filter in plain JavaScript. */
export function ticketFindContract(createDatabase: () => Promise<TestDatabase>, runs: number): void {
  describe('finding tickets', () => {
    const opened = openTwice(createDatabase);
    const stores = () => opened.other.tickets;

    beforeAll(async () => {
      await opened.storage.tickets.commit(
        records.map((record) => ({ id: record.ticket.id, record, events: [], feedEntries: [] })),
      );
    });

    it('returns exactly the matches of any filter in any order, whole and in bounded pages', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryQuery(), fc.integer({ min: 20, max: 60 }), async (query, steps) => {
          const expected = select(records, query).map(({ ticket }) => ticket.id);
          expect(idsOf(await stores().list(query))).toEqual(expected);
          expect(await readPages({ ...query, limit: 17 }, steps)).toEqual(expected);
          expect(await stores().count(query)).toBe(expected.length);
          expect(await stores().count({ ...query, limit: 3 })).toBe(Math.min(3, expected.length));
        }),
        { numRuns: runs, plugins: [fc.interruptAfterTimeLimit(BUSY_MACHINE_MS)] },
      );
    });

    it('pages through a list that is sorted and filtered by a number', async () => {
      const sort = { field: 'reply_count', direction: 'asc' } as const;
      const query = { filter: { reply_count: { gte: '1' } }, sort, limit: 200 };
      const expected = select(records, query).map(({ ticket }) => ticket.id);
      expect(await readPages({ ...query, limit: 17 }, 20)).toEqual(expected);
    });

    it.each(Object.entries<FilterField>(filterFields))(
      'finds something and leaves something by %s',
      async (name, field) => {
        for (const operator of field.operators) {
          const filter = { [name]: { [operator]: toOperand(field, operator) } };
          const isDeleted = name === 'deleted_at';
          const query = {
            filter,
            sort: { field: 'created_at', direction: 'asc' },
            isDeleted,
            limit: 200,
          } as const;
          const found = await stores().list(query);
          expect(found.length, operator).toBeGreaterThan(0);
          expect(found.length, operator).toBeLessThan(
            records.filter(({ ticket }) => isDeleted === (ticket.deleted_at !== null)).length,
          );
        }
      },
    );

    it('finds nothing by a field with an empty list of values', async () => {
      const query = {
        filter: { status: { any: [] } },
        sort: { field: 'created_at', direction: 'asc' },
        limit: 9,
      } as const;
      expect(await stores().list(query)).toEqual([]);
      expect(await stores().count(query)).toBe(0);
    });

    it('bounds the work of a page by the entries of the index, not by the matches', async () => {
      const sort = { field: 'created_at', direction: 'asc' } as const;
      const walked = select(records, { filter: {}, sort, limit: 200 });
      const query = { filter: { channel: { any: ['web'] } }, sort, limit: 200 };
      const place = walked[10 - 1];
      expect(await stores().findStep(query, 10)).toEqual(place && toPosition(place, query));
      expect(await stores().findStep(query, walked.length + 1)).toBeUndefined();
      expect(await stores().findStep({ ...query, filter: {} }, 1)).toBeUndefined();
    });

    /** Reads all pages; each reads at most this many tickets. */
    async function readPages(query: TicketQuery, steps: number): Promise<string[]> {
      const ids: string[] = [];
      let after: TicketQuery['after'];
      for (let i = 0; i < 300; i++) {
        const page = { ...query, ...(after && { after }) };
        const until = await stores().findStep(page, steps);
        const found = await stores().list({ ...page, ...(until && { until }) });
        ids.push(...idsOf(found));
        const last = found.at(-1);
        if (last && found.length === query.limit) after = toPosition(last, query);
        else if (until) after = until;
        else return ids;
      }
      throw new Error('The list does not end.');
    }
  });
}

function idsOf(found: readonly TicketRecord[]): string[] {
  return found.map(({ ticket }) => ticket.id);
}

function toOperand({ kind, words = [] }: FilterField, operator: string): unknown {
  if (operator === 'isEmpty') return false;
  if (kind === 'time') return operator.startsWith('g') ? (operator === 'gt' ? times[0] : times[1]) : times[1];
  if (kind === 'count') return operator === 'any' || operator === 'not' ? ['2'] : '2';
  if (kind === 'id') return operator === 'all' ? tickets.slice(0, 1) : tickets;
  const values = {
    word: words,
    ...defined,
    person: people.map(({ id }) => id),
    tag: tags,
    text: texts,
  }[kind];
  return values.slice(0, 1);
}

function arbitraryQuery(): fc.Arbitrary<TicketQuery> {
  const view = fc.constantFrom<Pick<TicketQuery, 'reader' | 'isDeleted'>>(
    {},
    {},
    {},
    { isDeleted: true },
    ...(ada ? [{ reader: ada.id }] : []),
    ...(bob ? [{ reader: bob.id }] : []),
  );
  const direction = fc.constantFrom('asc', 'desc');
  const byValue = fc.record({
    field: fc.constantFrom('created_at', 'updated_at', 'due_at', 'reply_count', ...conversationTimes),
    direction,
  });
  const byWord = fc.record({ field: fc.constantFrom('priority', 'status'), direction });
  const byBoth = fc.tuple(byWord, byValue).map(([sort, next]) => ({ ...sort, next }));
  const byWords = fc.constantFrom(['priority', 'status'], ['status', 'priority']).chain(([field, other]) =>
    fc.tuple(direction, direction).map(([one, two]) => ({
      field,
      direction: one,
      next: { field: other, direction: two },
    })),
  );
  const sort = fc.oneof(byValue, byValue, byWord, byBoth, byWords) as fc.Arbitrary<TicketSort>;
  return fc
    .record({ view, sort, filter: arbitraryFilter() })
    .map(({ view: who, ...query }) => ({ ...who, ...query, limit: 200 }));
}

function arbitraryFilter(): fc.Arbitrary<TicketFilter> {
  const fields = Object.entries<FilterField>(filterFields).map(([name, field]) =>
    arbitraryCondition(name, field.operators, toValues(field), field.kind === 'count' ? counts : times),
  );
  const custom = arbitraryCondition(
    'custom_fields.floor',
    customFieldOperators,
    ['red', '3', 3, 3.5, true, false, 'true', -2, 0, '12.5', 'x'],
    customBounds,
  );
  const decimal = arbitraryCondition('custom_fields.floor', ranges, [], decimalBounds).map(
    ([name, condition]) => [name, { ...condition, isDecimal: true }] as const,
  );
  return fc
    .array(fc.oneof(...fields, custom, custom, decimal, decimal), { maxLength: 3 })
    .map((entries) => Object.fromEntries(entries));
}

function arbitraryCondition(
  name: string,
  operators: readonly string[],
  values: readonly unknown[],
  bounds: readonly unknown[],
) {
  const operand = (operator: string): fc.Arbitrary<unknown> => {
    if (operator === 'isEmpty') return fc.boolean();
    if (['any', 'all', 'not'].includes(operator)) {
      return fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
    }
    return fc.constantFrom(...bounds);
  };
  return fc
    .subarray([...operators], { minLength: 1, maxLength: 2 })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((each) => [each, operand(each)]))))
    .map((condition) => [name, condition] as const);
}

const defined = { status: statusCategories, type: builtInTypes, priority: builtInPriorities };

function toValues({ kind, words = times }: FilterField): readonly string[] {
  const person = people.map(({ id }) => id);
  return {
    word: words,
    ...defined,
    person: [...person, 'nobody@example.com'],
    tag: tags,
    text: texts,
    id: tickets,
    time: times,
    count: counts,
  }[kind];
}

function arbitraryRecord(): fc.Arbitrary<TicketRecord> {
  const time = fc.constantFrom(...times);
  const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
  const person = fc.constantFrom(...people);
  const count = fc.constantFrom(1, 2, 10);
  const fields = fc.record({
    status: fc.constantFrom(...statusCategories),
    priority: fc.constantFrom(...builtInPriorities),
    type: maybe(fc.constantFrom(...builtInTypes)),
    channel: fc.constantFrom(...ticketChannels),
    requester: maybe(person),
    assignee: maybe(person),
    cc: fc.subarray(people),
    followers: fc.subarray(people),
    tags: fc.subarray(tags),
    custom_fields: fc.record({ floor: fc.constantFrom(...customValues) }, { requiredKeys: [] }),
    external_id: maybe(fc.constantFrom(...texts.slice(0, -1))),
    follow_up_of: maybe(fc.constantFrom(...tickets)),
    due_at: maybe(time),
    first_replied_at: maybe(time),
    last_reply_at: maybe(time),
    last_customer_reply_at: maybe(time),
    waiting_since: maybe(time),
    reply_count: count,
    solved_at: maybe(time),
    closed_at: maybe(time),
    links: fc.subarray(tickets).map((linked) => linked.map((id) => ({ type: 'related', ticket_id: id }))),
    deleted_at: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, time),
    version: count,
    updated_at: time,
  });
  return fc.tuple(fields, time, time, count).map(([given, at, publicUpdatedAt, publicVersion]) => ({
    ticket: newTicket(given as Partial<Ticket>, at),
    publicVersion,
    publicUpdatedAt,
  }));
}

import { AppError } from '@keydesk/errors';
import { isDefinitionKind } from '../definitions/definition.ts';
import type { DefinitionSet } from '../definitions/definition-set.ts';
import type { Viewer } from '../people/viewer.ts';
import type { TicketQuery, TicketStore } from '../tickets/ticket-store.ts';
import type { Tickets } from '../tickets/tickets.ts';
import { assertDefined } from './defined-filter.ts';
import { type Condition, type FilterField, filterFields, type TicketFilter } from './ticket-filter.ts';

/** Fields by which tickets are counted. */
export const countableFields = [
  'status',
  'status_category',
  'priority',
  'type',
  'channel',
  'assignee',
  'tag',
] as const;
export type CountableField = (typeof countableFields)[number];

/** The number of tickets with one value of a field. */
export interface TicketCount {
  by: CountableField;
  /** A word, a tag, or the id of a person; null for tickets without a value. */
  value: string | null;
  count: number;
  /** Whether the count is exact; `false` if there may be more. */
  is_exact: boolean;
}

/** Most tickets that a count reads when the index does not cover all conditions. */
const COUNT_STEPS = 5_000;
const MAX_COUNTED = 10_000;
/** Most values of one field in an answer, the most frequent first. */
export const MAX_COUNTED_VALUES = 1_000;

const anyOrder: TicketQuery['sort'] = { field: 'created_at', direction: 'desc' };

export interface TicketCountsDeps {
  store: Pick<TicketStore, 'findStep' | 'count' | 'countBy'>;
  /** Restricts a query to tickets that the viewer sees; `undefined` if it can match nothing. */
  toVisible(viewer: Viewer, query: TicketQuery): Promise<TicketQuery | undefined>;
}

export function createTicketCounts({
  store,
  toVisible,
}: TicketCountsDeps): Pick<Tickets, 'count' | 'countBy'> {
  async function bound(viewer: Viewer, { after: _, ...query }: TicketQuery) {
    const visible = await toVisible(viewer, { ...query, sort: anyOrder });
    if (!visible) return undefined;
    const until = await store.findStep(visible, COUNT_STEPS);
    return { ...visible, ...(until && { until }), limit: MAX_COUNTED + 1 };
  }

  async function countOne(bounded: TicketQuery | undefined) {
    if (!bounded) return { total: 0, isExact: true };
    const total = await store.count(bounded);
    return { total: Math.min(total, MAX_COUNTED), isExact: !bounded.until && total <= MAX_COUNTED };
  }

  /** Counts each word separately because an index finds its tickets. */
  async function countWords(viewer: Viewer, query: TicketQuery, by: CountableField) {
    const counts: TicketCount[] = [];
    for (const value of wordsOf(viewer.definitions, by)) {
      const filter = { ...query.filter, [by]: narrow(query.filter[by], value) } as TicketFilter;
      const { total, isExact } = await countOne(await bound(viewer, { ...query, filter }));
      counts.push({ by, value, count: total, is_exact: isExact });
    }
    return counts;
  }

  async function countValues(viewer: Viewer, query: TicketQuery, by: 'assignee' | 'tag') {
    const bounded = await bound(viewer, query);
    if (!bounded) return [];
    const { isExact } = await countOne(bounded);
    const groups = await store.countBy({ ...bounded, limit: MAX_COUNTED }, by);
    return [...groups]
      .map(([value, count]): TicketCount => ({ by, value, count, is_exact: isExact }))
      .sort(compareCounts)
      .slice(0, MAX_COUNTED_VALUES);
  }

  return {
    count: async (viewer, query) => countOne(await bound(viewer, query)),
    async countBy(viewer, query, by) {
      const { isPublic }: FilterField = filterFields[by];
      if (!viewer.isStaff && !isPublic) throw notVisible(by);
      assertDefined(viewer.definitions, query.filter);
      if (by === 'assignee' || by === 'tag') return countValues(viewer, query, by);
      return countWords(viewer, query, by);
    },
  };
}

function wordsOf(definitions: DefinitionSet, by: CountableField): readonly (string | null)[] {
  const { words: fixed = [], operators }: FilterField = filterFields[by];
  const words = isDefinitionKind(by) ? definitions.idsOf(by) : fixed;
  return operators.includes('isEmpty') ? [...words, null] : words;
}

/** Narrows a condition to one value. */
function narrow(condition: Condition = {}, value: string | null): Condition {
  const { any, isEmpty } = condition;
  const isPossible =
    value === null ? isEmpty !== false && !any : isEmpty !== true && any?.includes(value) !== false;
  if (!isPossible) return { any: [] };
  return value === null ? { ...condition, isEmpty: true } : { ...condition, any: [value] };
}

/** Sorts by descending frequency, then by value; the count of tickets without a value comes last among equals. */
function compareCounts(one: TicketCount, other: TicketCount): number {
  if (one.count !== other.count) return other.count - one.count;
  if (one.value === null || other.value === null) return one.value === null ? 1 : -1;
  return one.value < other.value ? -1 : 1;
}

function notVisible(by: CountableField): AppError {
  const errors = [{ field: 'by', code: 'forbidden', message: `${by} is visible to staff only; omit it` }];
  return new AppError('forbidden', 'Customers can count tickets by visible fields only; see errors.', {
    errors,
  });
}

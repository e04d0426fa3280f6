import type { Statement } from '@keydesk/storage/sqlite';
import type { Condition } from '../../../helpdesk/list/ticket-filter.ts';
import {
  isConversationTime,
  type TicketPosition,
  type TicketQuery,
  type ValueSort,
} from '../../../helpdesk/tickets/ticket-store.ts';
import { isUndated, type ListPart, withoutDriving } from '../../list-plan.ts';
import { toChecks } from './list-conditions.ts';
import { ofTickets, toWalks, type Walk } from './list-walk.ts';
import { hasTerms, toMatch } from './texts.ts';

const timeFilters = ['created_at', 'updated_at'] as const;
const operators = { gte: '>=', gt: '>', lte: '<=', lt: '<' } as const;
const directions = { asc: { keyword: 'ASC', behind: '>' }, desc: { keyword: 'DESC', behind: '<' } } as const;

/**
 * Creates the statement that selects the `seq` of the tickets of one part of a list (see `toParts`). It names the
 * indexes to use, so that the table is neither scanned nor sorted, and reads rows of tickets only for conditions on
 * them: the rows are large, and reading those of a page would take half the time of the statement. A search for rare words is led by the word index and sorts its
 * few matches.
 */
export function toListStatement(query: ListPart, { isLedByWords = false } = {}): Statement {
  const { search, reader } = query;
  const walks = isLedByWords && search ? [walkWords(query, search)] : toWalks(query);
  // The word index identifies tickets with a word, but not phrases.
  const unknown = search?.filter(({ words }) => !isLedByWords || words.length > 1) ?? [];
  const checks = [
    ...toChecks(isLedByWords ? query : { ...query, filter: withoutDriving(query) }),
    ...(unknown.length > 0 ? [hasTerms(unknown, { isPublicOnly: reader !== undefined })] : []),
  ];
  const arms = walks.map((walk) => {
    const { sql, values } = joinConditions([
      ...toRange(walk, query),
      ...checks,
      ...toOtherTimes(walk, query),
    ]);
    const order = toOrder(walk, query);
    const join = readsTickets(sql + order) ? walk.join : '';
    // A single walk is sorted by columns that need not be selected.
    const sorted = walks.length === 1 ? '' : `, ${order}`;
    return { sql: `SELECT ${walk.seq}${sorted} FROM ${walk.table} ${join} WHERE ${sql}`, values };
  });
  return inOrder(arms, query, { limit: 'LIMIT ?', values: [query.limit], order: toOrderOf(walks, query) });
}

/** Creates the statement that selects the position after a number of steps. */
export function toStepStatement(query: ListPart, steps: number): Statement {
  return inOrder(toSteps(query), query, { limit: 'LIMIT 1 OFFSET ?', values: [steps - 1] });
}

/** Creates the statement that counts the steps of a part, up to a limit, in any order. */
export function toStepCount(query: ListPart, limit: number): Statement {
  const arms = toWalks(query).map((walk) => {
    const { sql, values } = joinConditions(toRange(walk, query));
    return { sql: `SELECT 1 FROM ${walk.table} WHERE ${sql}`, values };
  });
  return toCount({
    sql: `${arms.map(({ sql }) => sql).join(' UNION ALL ')} LIMIT ?`,
    values: [...arms.flatMap(({ values }) => values), limit],
  });
}

/** Creates the statement that counts the rows of another. */
export function toCount({ sql, values }: Statement): Statement {
  return { sql: `SELECT count(*) FROM (${sql})`, values };
}

/** Creates the statement that counts the tickets of another by the values of a field. */
export function toCountBy({ sql, values }: Statement, field: 'assignee' | 'tag'): Statement {
  const join = field === 'tag' ? 'LEFT JOIN ticket_tags USING (seq)' : 'CROSS JOIN tickets USING (seq)';
  return { sql: `SELECT ${field}, count(*) FROM (${sql}) AS found ${join} GROUP BY 1`, values };
}

function toSteps(query: ListPart): Statement[] {
  return toWalks(query).map((walk) => {
    const { sql, values } = joinConditions(toRange(walk, query));
    return { sql: `SELECT ${toOrder(walk, query)} FROM ${walk.table} WHERE ${sql}`, values };
  });
}

interface Order {
  value: string;
  id: string;
}

const asSelected: Order = { value: 'sort_value', id: 'sort_id' };

/** Merges the rows of several walks in order. */
function inOrder(
  arms: readonly Statement[],
  query: ListPart,
  { limit, values, order = asSelected }: { limit: string; values: readonly number[]; order?: Order },
): Statement {
  const { keyword } = directions[query.sort.direction];
  const columns = isUndated(query) ? [order.id] : [order.value, order.id];
  const sorted = columns.map((column) => `${column} ${keyword}`).join();
  return {
    sql: `${arms.map(({ sql }) => sql).join(' UNION ALL ')} ORDER BY ${sorted} ${limit}`,
    values: [...arms.flatMap((arm) => arm.values), ...values],
  };
}

function toOrderOf([walk, ...others]: readonly Walk[], { sort }: ListPart): Order {
  return walk && others.length === 0 ? { value: walk.columns[sort.field], id: walk.id } : asSelected;
}

function toOrder({ columns, id }: Walk, { sort }: ListPart): string {
  return `${columns[sort.field]} AS sort_value, ${id} AS sort_id`;
}

/** Whether SQL refers to a column of the table of tickets. */
function readsTickets(sql: string): boolean {
  return /\btickets\./.test(sql);
}

function joinConditions(conditions: readonly Statement[]): Statement {
  return {
    sql: conditions.map(({ sql }) => sql).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  };
}

/** Returns the conditions of a page on a walk: the range it is sorted by, between its two positions. */
function toRange(walk: Walk, query: ListPart): Statement[] {
  const { filter, sort, after, until } = query;
  const { behind } = directions[sort.direction];
  const column = walk.columns[sort.field];
  return [
    walk.condition,
    ...(isConversationTime(sort.field) ? [{ sql: `${column} IS NOT NULL`, values: [] }] : []),
    ...(sort.field === 'due_at'
      ? [{ sql: `${column} IS ${isUndated(query) ? '' : 'NOT '}NULL`, values: [] }]
      : []),
    ...isWithin(column, sort.field, filter[sort.field], after && behind),
    ...(after ? [isAt(walk, query, behind, after)] : []),
    ...(until ? [isAt(walk, query, `${behind === '>' ? '<' : '>'}=`, until)] : []),
  ];
}

function isAt(
  { columns, id }: Walk,
  query: ListPart,
  comparison: string,
  position: NonNullable<TicketQuery['after']>,
): Statement {
  if (isUndated(query)) return { sql: `${id} ${comparison} ?`, values: [position.id] };
  const { field } = query.sort;
  return {
    sql: `(${columns[field]}, ${id}) ${comparison} (?, ?)`,
    values: [toColumnValue(field, position.value), position.id],
  };
}

/** Returns ranges of the times that the walk is not sorted by. */
function toOtherTimes({ columns }: Walk, { filter, sort }: TicketQuery): Statement[] {
  return timeFilters
    .filter((field) => field !== sort.field)
    .flatMap((field) => isWithin(columns[field], field, filter[field]));
}

/**
 * Converts a value to the type of its column: times are milliseconds in columns and text in the document. A column
 * after a unary plus has no affinity, so that a number would be less than any text.
 */
function toColumnValue(field: ValueSort['field'], value: TicketPosition['value']): string | number {
  if (field === 'reply_count') return Number(value);
  const isBeside = field === 'created_at' || field === 'updated_at';
  return isBeside ? Date.parse(String(value)) : (value ?? '');
}

/**
 * Returns the bounds of a range. A unary plus hides the bound that the page has `passed` from the planner, so that the
 * walk begins at the page.
 */
function isWithin(
  column: string,
  field: ValueSort['field'],
  range: Condition = {},
  passed?: '<' | '>',
): Statement[] {
  return Object.entries(operators).flatMap(([name, operator]) => {
    const bound = range[name as keyof typeof operators];
    if (bound === undefined) return [];
    const isHidden = passed !== undefined && operator.startsWith(passed);
    return [{ sql: `${isHidden ? '+' : ''}${column} ${operator} ?`, values: [toColumnValue(field, bound)] }];
  });
}

function walkWords({ isDeleted = false }: TicketQuery, search: NonNullable<TicketQuery['search']>): Walk {
  const deletion = `tickets.deleted_at ${isDeleted ? 'IS NOT NULL' : 'IS NULL'}`;
  return {
    table: 'ticket_words',
    seq: 'tickets.seq',
    join: 'CROSS JOIN tickets ON tickets.seq = ticket_words.rowid',
    columns: ofTickets,
    id: 'tickets.id',
    condition: { sql: `ticket_words MATCH ? AND ${deletion}`, values: [toMatch(search)] },
  };
}

import type { TicketFilter, TicketQuery, TimeRange } from '../../tickets/ticket-store.ts';
import { findDrivingFilter, type IndexedFilter } from '../driving-filter.ts';

/** SQL with the values of its parameters in order. */
export interface Statement {
  sql: string;
  values: readonly (string | number)[];
}

const columnFilters = ['status', 'priority', 'type', 'requester', 'assignee'] as const;
const timeFilters = ['created_at', 'updated_at'] as const;
const operators = { gte: '>=', gt: '>', lte: '<=', lt: '<' } as const;
const directions = { asc: { keyword: 'ASC', behind: '>' }, desc: { keyword: 'DESC', behind: '<' } } as const;

/**
 * The statement that selects `seq` and `version` of the tickets of a list, told which index to walk, so that it
 * neither scans nor sorts the table.
 */
export function toListStatement({ filter, sort, after, limit }: TicketQuery): Statement {
  const driver = findDrivingFilter(filter);
  const walked = driver === 'tag' ? 'ticket_tags' : 'tickets';
  const { keyword, behind } = directions[sort.direction];
  const conditions = [
    ...columnFilters.flatMap((name) => hasValue(name, filter[name])),
    ...hasTag(filter.tag, driver),
    ...timeFilters.flatMap((field) => {
      const passed = after && field === sort.field ? behind : undefined;
      return isWithin(`${walked}.${field}`, filter[field], passed);
    }),
  ];
  if (after) {
    const position = `(${walked}.${sort.field}, ${walked}.id) ${behind} (?, ?)`;
    conditions.push({ sql: position, values: [Date.parse(after.value), after.id] });
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
  return {
    sql: `SELECT tickets.seq, tickets.version FROM ${walk(driver, sort.field)} ${where}
          ORDER BY ${walked}.${sort.field} ${keyword}, ${walked}.id ${keyword} LIMIT ?`,
    values: [...conditions.flatMap(({ values }) => values), limit],
  };
}

function walk(driver: IndexedFilter | undefined, field: string): string {
  if (driver === undefined) return `tickets INDEXED BY tickets_by_${field}`;
  if (driver !== 'tag') return `tickets INDEXED BY tickets_by_${driver}_${field}`;
  return `ticket_tags INDEXED BY ticket_tags_by_${field} CROSS JOIN tickets USING (seq)`;
}

function hasValue(name: keyof TicketFilter, value: string | undefined): Statement[] {
  return value === undefined ? [] : [{ sql: `tickets.${name} = ?`, values: [value] }];
}

function hasTag(tag: string | undefined, driver: IndexedFilter | undefined): Statement[] {
  if (tag === undefined) return [];
  if (driver === 'tag') return [{ sql: 'ticket_tags.tag = ?', values: [tag] }];
  return [{ sql: 'EXISTS (SELECT 1 FROM ticket_tags WHERE seq = tickets.seq AND tag = ?)', values: [tag] }];
}

/**
 * The bounds of a range. The one that the page has `passed` is hidden from the planner by a unary plus: the walk must
 * begin at the page, not at the bound.
 */
function isWithin(column: string, range: TimeRange = {}, passed?: '<' | '>'): Statement[] {
  return Object.entries(operators).flatMap(([name, operator]) => {
    const bound = range[name as keyof TimeRange];
    if (bound === undefined) return [];
    const isHidden = passed !== undefined && operator.startsWith(passed);
    return [{ sql: `${isHidden ? '+' : ''}${column} ${operator} ?`, values: [Date.parse(bound)] }];
  });
}

import type { TicketFilter, TicketQuery, TicketSort, TimeRange } from '../../tickets/ticket-store.ts';
import { findDrivingFilter } from '../driving-filter.ts';

/** SQL with the values of its parameters in order. */
export interface Statement {
  sql: string;
  values: readonly (string | number)[];
}

/** The index that a list walks, and which entries of it are the list's. */
interface Walk {
  /** The tables that are read, the walked one first. */
  from: string;
  /** What the list is sorted by, and its time ranges bound, in the walked table. */
  columns: Record<TicketSort['field'], string>;
  id: string;
  condition: Statement;
}

const columnFilters = ['status', 'priority', 'type', 'requester', 'assignee'] as const;
const timeFilters = ['created_at', 'updated_at'] as const;
const operators = { gte: '>=', gt: '>', lte: '<=', lt: '<' } as const;
const directions = { asc: { keyword: 'ASC', behind: '>' }, desc: { keyword: 'DESC', behind: '<' } } as const;

/**
 * The statement that selects `seq` and `version` of the tickets of a list, told which index to walk, so that it
 * neither scans nor sorts the table.
 */
export function toListStatement(query: TicketQuery): Statement {
  const { filter, sort, after, limit } = query;
  const { from, columns, id, condition } = toWalk(query);
  const { keyword, behind } = directions[sort.direction];
  const conditions = [
    condition,
    ...columnFilters.flatMap((name) => hasValue(name, filter[name])),
    ...(from.startsWith('ticket_tags') ? [] : hasTag(filter.tag)),
    ...timeFilters.flatMap((field) => {
      const passed = after && field === sort.field ? behind : undefined;
      return isWithin(columns[field], filter[field], passed);
    }),
  ];
  if (after) {
    const position = `(${columns[sort.field]}, ${id}) ${behind} (?, ?)`;
    conditions.push({ sql: position, values: [Date.parse(after.value), after.id] });
  }
  return {
    sql: `SELECT tickets.seq, tickets.version FROM ${from} WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}
          ORDER BY ${columns[sort.field]} ${keyword}, ${id} ${keyword} LIMIT ?`,
    values: [...conditions.flatMap(({ values }) => values), limit],
  };
}

/** A reader's own tickets are few, and deleted ones soon purged: each prevails over every filter. */
function toWalk({ reader, isDeleted = false, filter, sort }: TicketQuery): Walk {
  if (reader !== undefined) return walkReader(reader, sort);
  if (isDeleted) return walkTickets(`deleted_tickets_by_${sort.field}`, 'IS NOT NULL');
  const driver = findDrivingFilter(filter);
  if (driver === 'tag' && filter.tag !== undefined) return walkTag(filter.tag, sort);
  return walkTickets(`tickets_by_${driver ? `${driver}_` : ''}${sort.field}`, 'IS NULL');
}

function walkTickets(index: string, presence: 'IS NULL' | 'IS NOT NULL'): Walk {
  return {
    from: `tickets INDEXED BY ${index}`,
    columns: { created_at: 'tickets.created_at', updated_at: 'tickets.updated_at' },
    id: 'tickets.id',
    condition: { sql: `tickets.deleted_at ${presence}`, values: [] },
  };
}

function walkTag(tag: string, { field }: TicketSort): Walk {
  return {
    from: `ticket_tags INDEXED BY ticket_tags_by_${field} CROSS JOIN tickets USING (seq)`,
    columns: { created_at: 'ticket_tags.created_at', updated_at: 'ticket_tags.updated_at' },
    id: 'ticket_tags.id',
    condition: { sql: 'ticket_tags.tag = ? AND ticket_tags.deleted_at IS NULL', values: [tag] },
  };
}

/** Those who see no deleted tickets have no rows for them. */
function walkReader(reader: string, { field }: TicketSort): Walk {
  const index =
    field === 'created_at' ? 'ticket_readers_by_created_at' : 'ticket_readers_by_public_updated_at';
  return {
    from: `ticket_readers INDEXED BY ${index} CROSS JOIN tickets USING (seq)`,
    columns: { created_at: 'ticket_readers.created_at', updated_at: 'ticket_readers.public_updated_at' },
    id: 'ticket_readers.id',
    condition: { sql: 'ticket_readers.person_id = ?', values: [reader] },
  };
}

function hasValue(name: keyof TicketFilter, value: string | undefined): Statement[] {
  return value === undefined ? [] : [{ sql: `tickets.${name} = ?`, values: [value] }];
}

function hasTag(tag: string | undefined): Statement[] {
  if (tag === undefined) return [];
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

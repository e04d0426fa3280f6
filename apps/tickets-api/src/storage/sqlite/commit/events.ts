import { deepFreeze } from '@keydesk/storage/deep-freeze';
import type { Sqlite, Statement } from '@keydesk/storage/sqlite';
import type { EventRecord } from '../../../helpdesk/history/audit-event.ts';
import {
  type EventDriver,
  type EventPosition,
  type EventSearch,
  findEventDriver,
  isServedByIndex,
} from '../../../helpdesk/history/event-search.ts';
import type { EventStore } from '../../../helpdesk/history/event-store.ts';
import { ranges } from '../../../helpdesk/list/ticket-filter.ts';
import { createTicketParts } from './ticket-parts.ts';

/** Adds events of the ticket in row `seq`, or of definitions (null), within one transaction. */
export type EventWriter = (seq: number | null, events: readonly EventRecord[]) => void;

export function createEventWriter({ prepare }: Sqlite): EventWriter {
  const insert = prepare('INSERT INTO events (ticket_seq, id, is_public, document) VALUES (?, ?, ?, ?)');
  return (seq, events) => {
    for (const record of events) {
      const isPublic = record.publicChanges !== undefined;
      insert.run(seq, record.event.id, Number(isPublic), JSON.stringify(record));
    }
  };
}

export function createEventStore(sqlite: Sqlite): EventStore {
  const documents = createTicketParts(sqlite, 'events');
  return {
    ...createEventSearch(sqlite),
    list: async ({ after, ...query }) =>
      documents.list({ ...query, ...(after !== undefined && { after: [after] }) }) as readonly EventRecord[],
    countOf: async (query) => documents.count(query),
  };
}

const comparisons = { gte: '>=', gt: '>', lte: '<=', lt: '<' } as const;

/** Index for the values of each driving filter, and the condition that it serves. */
const walks: Readonly<Record<EventDriver | 'none', { index: string; condition: string }>> = {
  ticket_id: {
    index: 'sqlite_autoindex_events_1',
    condition: 'ticket_seq = (SELECT seq FROM tickets WHERE id = ?)',
  },
  actor: { index: 'events_by_actor', condition: 'actor = ?' },
  type: { index: 'events_by_type', condition: 'type = ?' },
  none: { index: 'events_in_order', condition: '' },
};

const columns = { actor: 'actor', type: 'type', client_id: "document ->> '$.event.client_id'" } as const;

/** Creates the search for events of all tickets. */
function createEventSearch({ prepare, read }: Sqlite): Pick<EventStore, 'search' | 'findStep' | 'count'> {
  const run = ({ sql, values }: Statement) => prepare(sql).all(...values);
  return {
    search: async (query) =>
      read(() =>
        run(toEventStatement(query)).map(
          ({ document }) => deepFreeze(JSON.parse(String(document))) as EventRecord,
        ),
      ),
    findStep: async (query, steps) =>
      read(() => {
        if (isServedByIndex(query)) return undefined;
        const [step] = run(toStepStatement(query, steps));
        return step && { created_at: String(step.at), id: String(step.id) };
      }),
    count: async (query) =>
      read(() => {
        const { sql, values } = toEventStatement(query);
        return Number(prepare(`SELECT count(*) AS count FROM (${sql})`).get(...values)?.count);
      }),
  };
}

/** Creates the statement of a page; it merges one index walk for each value of the driving filter. */
export function toEventStatement(query: EventSearch): Statement {
  return inOrder('document', query, toChecks(query), 'LIMIT ?', [query.limit]);
}

/** Creates the statement that selects the position after a number of steps. */
function toStepStatement(query: EventSearch, steps: number): Statement {
  return inOrder('NULL', query, [], 'LIMIT 1 OFFSET ?', [steps - 1]);
}

function inOrder(
  selected: string,
  query: EventSearch,
  checks: readonly Statement[],
  limit: string,
  values: readonly number[],
): Statement {
  const arms = toArms(query).map(({ index, conditions }) => {
    const all = [...conditions, ...toRange(query), ...checks];
    const where = all.length > 0 ? `WHERE ${all.map(({ sql }) => sql).join(' AND ')}` : '';
    return {
      sql: `SELECT ${selected} AS document, created_at AS at, id FROM events INDEXED BY ${index} ${where}`,
      values: all.flatMap((each) => each.values),
    };
  });
  const { direction } = query;
  return {
    sql: `${arms.map(({ sql }) => sql).join(' UNION ALL ')} ORDER BY at ${direction}, id ${direction} ${limit}`,
    values: [...arms.flatMap((arm) => arm.values), ...values],
  };
}

function toArms(query: EventSearch): { index: string; conditions: Statement[] }[] {
  const driver = findEventDriver(query);
  const { index, condition } = walks[driver ?? 'none'];
  if (!driver) return [{ index, conditions: [] }];
  return (query.filter[driver]?.any ?? []).map((value) => ({
    index,
    conditions: [{ sql: condition, values: [value] }],
  }));
}

/** Returns the range of a page. A unary plus hides bounds before it from the planner, so that the walk begins there. */
function toRange({ filter, direction, after, until }: EventSearch): Statement[] {
  const behind = direction === 'asc' ? '>' : '<';
  const bounds = ranges.flatMap((operator) => {
    const bound = filter.created_at?.[operator];
    if (bound === undefined) return [];
    const isPassed = after !== undefined && comparisons[operator].startsWith(behind);
    return [{ sql: `${isPassed ? '+' : ''}created_at ${comparisons[operator]} ?`, values: [bound] }];
  });
  return [
    ...bounds,
    ...(after ? [isAt(behind, after)] : []),
    ...(until ? [isAt(direction === 'asc' ? '<=' : '>=', until)] : []),
  ];
}

function isAt(comparison: string, { created_at, id }: EventPosition): Statement {
  return { sql: `(created_at, id) ${comparison} (?, ?)`, values: [created_at, id] };
}

function toChecks(query: EventSearch): Statement[] {
  const driver = findEventDriver(query);
  return Object.entries(columns).flatMap(([name, column]) => {
    const any = query.filter[name as keyof typeof columns]?.any;
    if (!any || name === driver) return [];
    return [{ sql: `${column} IN (${any.map(() => '?').join()})`, values: any }];
  });
}

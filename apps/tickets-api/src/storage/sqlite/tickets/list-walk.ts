import type { Statement } from '@keydesk/storage/sqlite';
import type { ValueSort } from '../../../helpdesk/tickets/ticket-store.ts';
import { type DrivingFilter, findDrivingFilter, type ListPart, type NextFilter } from '../../list-plan.ts';

/** Entries of an index, in its order. */
export interface Walk {
  /** Table and index of the walk. */
  table: string;
  /** Column of the walked table that refers to the ticket. */
  seq: string;
  /** Join from the walked table to tickets; left out where no condition needs it. */
  join: string;
  /** Columns of the walked table that the list is sorted by, and that its time ranges apply to. */
  columns: Record<ValueSort['field'], string>;
  id: string;
  /** Condition of the entries that belong to the walk. */
  condition: Statement;
}

/** Columns of the table of tickets. */
export const ofTickets = {
  created_at: 'tickets.created_at',
  updated_at: 'tickets.updated_at',
  due_at: 'tickets.due_at',
  waiting_since: 'tickets.waiting_since',
  last_reply_at: 'tickets.last_reply_at',
  last_customer_reply_at: 'tickets.last_customer_reply_at',
  reply_count: 'tickets.reply_count',
} as const;

/** Orders with an index of deleted tickets and of a reader's tickets; for others, these short lists are sorted. */
const ordered: ReadonlySet<string> = new Set(['created_at', 'updated_at', 'due_at']);

/** Returns walks that together have each ticket of the driving filter once. */
export function toWalks(query: ListPart): Walk[] {
  const { reader, isDeleted = false, sort } = query;
  if (reader !== undefined) return [walkReader(reader, sort)];
  if (isDeleted) return [walkDeleted(sort)];
  const driver = findDrivingFilter(query);
  if (!driver) return [walkTickets(`tickets_by_${sort.field}`, 'deleted_at IS NULL')];
  if (driver.name === 'id') return driver.values.map(walkId);
  const { name, values, next } = driver;
  return values.flatMap((value, i) => {
    const walk = (word?: Word) =>
      name === 'tag'
        ? walkTag(value, { earlier: values.slice(0, i), word, sort })
        : walkValue(name, value, { word, sort });
    return next ? next.values.map((each) => walk({ name: next.name, value: each })) : [walk()];
  });
}

/** Status or priority that an index continues with. */
interface Word {
  name: NextFilter;
  value: string;
}

interface WalkOptions {
  word: Word | undefined;
  sort: ValueSort;
}

function walkDeleted({ field }: ValueSort): Walk {
  const index = `deleted_tickets_by_${ordered.has(field) ? field : 'created_at'}`;
  return walkTickets(index, 'deleted_at IS NOT NULL');
}

function walkTickets(index: string, sql: string, values: readonly string[] = []): Walk {
  return {
    table: `tickets INDEXED BY ${index}`,
    seq: 'tickets.seq',
    join: '',
    columns: ofTickets,
    id: 'tickets.id',
    condition: { sql: `tickets.${sql}`, values },
  };
}

/** Walks the single ticket with an id, by the index of its `UNIQUE` constraint. */
function walkId(id: string): Walk {
  return walkTickets('sqlite_autoindex_tickets_1', 'id = ? AND tickets.deleted_at IS NULL', [id]);
}

function walkValue(name: DrivingFilter['name'], value: string, { word, sort }: WalkOptions): Walk {
  const [infix, condition] = word ? [`${word.name}_`, `tickets.${word.name} = ? AND `] : ['', ''];
  return walkTickets(
    `tickets_by_${name}_${infix}${sort.field}`,
    `${name} = ? AND ${condition}tickets.deleted_at IS NULL`,
    word ? [value, word.value] : [value],
  );
}

/** Walks the tickets with a tag, except tickets with an earlier tag; each ticket belongs to its first tag. */
function walkTag(tag: string, { earlier, word, sort }: WalkOptions & { earlier: readonly string[] }): Walk {
  const marks = earlier.map(() => '?').join();
  const isNew = `NOT EXISTS (
    SELECT 1 FROM ticket_tags AS earlier WHERE earlier.seq = ticket_tags.seq AND earlier.tag IN (${marks}))`;
  const conditions = [
    'ticket_tags.tag = ?',
    ...(word ? [`ticket_tags.${word.name} = ?`] : []),
    'ticket_tags.deleted_at IS NULL',
    ...(earlier.length > 0 ? [isNew] : []),
  ];
  return {
    table: `ticket_tags INDEXED BY ticket_tags_by_${word ? `${word.name}_` : ''}${sort.field}`,
    seq: 'ticket_tags.seq',
    join: 'CROSS JOIN tickets USING (seq)',
    columns: {
      ...ofTickets,
      created_at: 'ticket_tags.created_at',
      updated_at: 'ticket_tags.updated_at',
    },
    id: 'ticket_tags.id',
    condition: { sql: conditions.join(' AND '), values: [tag, ...(word ? [word.value] : []), ...earlier] },
  };
}

/** Walks the tickets of a reader; deleted tickets have no rows for readers. */
function walkReader(reader: string, { field }: ValueSort): Walk {
  const columns = {
    ...ofTickets,
    created_at: 'ticket_readers.created_at',
    updated_at: 'ticket_readers.public_updated_at',
    due_at: 'ticket_readers.due_at',
  };
  const condition = { sql: 'ticket_readers.person_id = ?', values: [reader] };
  const join = 'CROSS JOIN tickets USING (seq)';
  const [seq, id] = ['ticket_readers.seq', 'ticket_readers.id'];
  if (!ordered.has(field)) {
    const table = `ticket_readers INDEXED BY ticket_readers_by_created_at ${join}`;
    return { table, seq, join: '', columns, id, condition };
  }
  const index = `ticket_readers_by_${columns[field].replace('ticket_readers.', '')}`;
  return { table: `ticket_readers INDEXED BY ${index}`, seq, join, columns, id, condition };
}

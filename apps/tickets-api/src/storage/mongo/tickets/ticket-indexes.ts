import { conversationTimes, type ValueSort } from '../../../helpdesk/tickets/ticket-store.ts';
import {
  findDrivingFilter,
  type IndexedFilter,
  type ListPart,
  type NextFilter,
  pairedFilters,
} from '../../list-plan.ts';

type SortField = ValueSort['field'];

/** Filter that leads to the tickets of a list, `reader`, or `undefined` if only its order does. */
export type ListDriver = IndexedFilter | `${IndexedFilter}_${NextFilter}` | 'reader' | undefined;

/** Path in a document that each filter applies to. */
export const filterPaths: Readonly<Record<IndexedFilter, string>> = {
  id: '_id',
  status: 'status',
  priority: 'priority',
  type: 'type',
  requester: 'requester.id',
  assignee: 'assignee.id',
  tag: 'tags',
  external_id: 'external_id',
  follow_up_of: 'follow_up_of',
};

export function findListDriver(query: ListPart): ListDriver {
  if (query.reader !== undefined) return 'reader';
  const driver = findDrivingFilter(query);
  return driver?.next ? `${driver.name}_${driver.next.name}` : driver?.name;
}

const readerFields: ReadonlySet<SortField> = new Set(['created_at', 'updated_at', 'due_at']);

/** Returns the name of the index of a list. The few tickets with given ids are sorted instead. */
export function indexName(driver: ListDriver, field: SortField): string {
  if (driver === 'id') return '_id_';
  // Lists of a reader are short and sorted in memory if no index has their order.
  if (driver === 'reader' && !readerFields.has(field)) return indexName('reader', 'created_at');
  return driver === undefined ? `list_by_${field}` : `list_by_${driver}_${field}`;
}

/** Returns the path of a time as a customer, or else staff, sees it. */
export function timePath(field: SortField, reader: string | undefined): string {
  return field === 'updated_at' && reader !== undefined ? 'public_updated_at' : field;
}

/** Indexes by due date that lists of open work use. */
const dueListIndexes = [
  { name: indexName(undefined, 'due_at'), key: { is_deleted: 1, due_at: 1, _id: 1 } as const },
  { name: indexName('reader', 'due_at'), key: { readers: 1, due_at: 1, _id: 1 } as const },
  ...(['assignee', 'status'] as const).map((filter) => ({
    name: indexName(filter, 'due_at'),
    key: { is_deleted: 1, [filterPaths[filter]]: 1, due_at: 1, _id: 1 } as const,
  })),
];

/**
 * Indexes of every filter in both orders of time, the minimum that serves every list without sorting. Deleted tickets
 * are separate in each; readers never see them.
 */
const listIndexes = (['created_at', 'updated_at'] as const).flatMap((field) => [
  { name: indexName(undefined, field), key: { is_deleted: 1, [field]: 1, _id: 1 } as const },
  {
    name: indexName('reader', field),
    key: { readers: 1, [timePath(field, 'a reader')]: 1, _id: 1 } as const,
  },
  ...Object.entries(filterPaths)
    .filter(([filter]) => filter !== 'id')
    .map(([filter, path]) => ({
      name: indexName(filter as IndexedFilter, field),
      key: { is_deleted: 1, [path]: 1, [field]: 1, _id: 1 } as const,
    })),
]);

/** State in which a ticket is due for closing or purging, and the time since when. */
export const due = {
  deleted: { index: 'due_deleted', state: { is_deleted: true }, since: 'deleted_at' },
  solved: {
    index: 'due_solved_category',
    state: { is_deleted: false, status_category: 'solved' },
    since: 'solved_at',
  },
} as const;

const dueIndexes = Object.values(due).map(({ index, state, since }) => ({
  name: index,
  key: { [since]: 1, _id: 1 } as const,
  partialFilterExpression: state,
}));

/** Indexes by times of the conversation; the two most common ones also with the filters of open work. */
const conversationIndexes = [
  ...([...conversationTimes, 'reply_count'] as const).map((field) => ({
    name: indexName(undefined, field),
    key: { is_deleted: 1, [field]: 1, _id: 1 } as const,
  })),
  ...(['waiting_since', 'last_reply_at'] as const).flatMap((field) =>
    (['assignee', 'status'] as const).map((filter) => ({
      name: indexName(filter, field),
      key: { is_deleted: 1, [filterPaths[filter]]: 1, [field]: 1, _id: 1 } as const,
    })),
  ),
];

/** Indexes for lists of one status or priority, which agents request most often. */
const pairIndexes = Object.entries(pairedFilters).flatMap(([name, nexts]) => {
  const filter = name as IndexedFilter;
  return nexts.map((next) => ({
    name: indexName(`${filter}_${next}`, 'created_at'),
    key: { is_deleted: 1, [filterPaths[filter]]: 1, [next]: 1, created_at: 1, _id: 1 } as const,
  }));
});

/** Unique index of external ids within a client. */
export const uniqueExternalId = {
  name: 'external_id_of_client',
  key: { external_id_client: 1, external_id: 1 } as const,
  unique: true,
  partialFilterExpression: { external_id_client: { $exists: true } },
};

export const ticketIndexes = [
  ...listIndexes,
  ...pairIndexes,
  ...dueListIndexes,
  ...conversationIndexes,
  ...dueIndexes,
  uniqueExternalId,
];

import { conversationTimes, type ValueSort } from '../../helpdesk/tickets/ticket-store.ts';
import {
  findDrivingFilter,
  type IndexedFilter,
  type ListPart,
  type NextFilter,
  nextFilters,
  paired,
} from '../list-plan.ts';

type SortField = ValueSort['field'];

/** What leads to the tickets of a list: who reads it, one of its filters, or nothing but its order. */
export type ListDriver = IndexedFilter | `${IndexedFilter}_${NextFilter}` | 'reader' | undefined;

/** Where a document holds what a filter asks for. */
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

/** The index that a list walks. The few tickets that ids lead to are sorted. */
export function indexName(driver: ListDriver, field: SortField): string {
  if (driver === 'id') return '_id_';
  // A reader's own tickets are few, and sorted where no index has them in order.
  if (driver === 'reader' && !readerFields.has(field)) return indexName('reader', 'created_at');
  return driver === undefined ? `list_by_${field}` : `list_by_${driver}_${field}`;
}

/** Where a document holds the time that a reader, or else staff, knows under this name. */
export function timePath(field: SortField, reader: string | undefined): string {
  return field === 'updated_at' && reader !== undefined ? 'public_updated_at' : field;
}

/** By due date only what people have to do is in order. */
const dueListIndexes = [
  { name: indexName(undefined, 'due_at'), key: { is_deleted: 1, due_at: 1, _id: 1 } as const },
  { name: indexName('reader', 'due_at'), key: { readers: 1, due_at: 1, _id: 1 } as const },
  ...(['assignee', 'status'] as const).map((filter) => ({
    name: indexName(filter, 'due_at'),
    key: { is_deleted: 1, [filterPaths[filter]]: 1, due_at: 1, _id: 1 } as const,
  })),
];

/**
 * Every filter in both orders of time: the fewest indexes that serve every list without sorting. Deleted tickets stand apart in
 * each; a reader sees none of them.
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

/** What a ticket has to be for something to become due on it, and since when it has been so. */
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

/** By the conversation, in both the times that are looked at most often, what people have to do is in order. */
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

/** Indexes for lists of one status or priority, which agents ask for most often. */
const pairIndexes = paired.flatMap((filter) =>
  nextFilters.map((next) => ({
    name: indexName(`${filter}_${next}`, 'created_at'),
    key: { is_deleted: 1, [filterPaths[filter]]: 1, [next]: 1, created_at: 1, _id: 1 } as const,
  })),
);

/** Of one client, one ticket has an external id. */
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

/**
 * The indexes of lists before tickets could be deleted and read by customers, and that of solved tickets before statuses
 * had categories.
 */
export const earlierIndexNames: readonly string[] = [
  ...(['created_at', 'updated_at'] as const).flatMap((field) => [
    field,
    ...['status', 'priority', 'type', 'requester', 'assignee', 'tag'].map((filter) => `${filter}_${field}`),
  ]),
  'due_solved',
];

import type { TicketSort } from '../../tickets/ticket-store.ts';
import type { IndexedFilter } from '../driving-filter.ts';

type SortField = TicketSort['field'];

/** Where a document holds what a filter asks for. */
export const filterPaths: Readonly<Record<IndexedFilter, string>> = {
  status: 'status',
  priority: 'priority',
  type: 'type',
  requester: 'requester.email',
  assignee: 'assignee.email',
  tag: 'tags',
};

/** The index that a list walks, by the filter that drives it. */
export function indexName(driver: IndexedFilter | undefined, field: SortField): string {
  return driver === undefined ? field : `${driver}_${field}`;
}

/** Every filter in both orders: the fewest indexes that serve every list without sorting. */
export const ticketIndexes = (['created_at', 'updated_at'] as const).flatMap((field) => [
  { name: indexName(undefined, field), key: { [field]: 1, _id: 1 } as const },
  ...Object.entries(filterPaths).map(([filter, path]) => ({
    name: indexName(filter as IndexedFilter, field),
    key: { [path]: 1, [field]: 1, _id: 1 } as const,
  })),
]);

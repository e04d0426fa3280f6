import type { Viewer } from '../people/viewer.ts';
import type { TicketFilter, TicketQuery } from './ticket-store.ts';

/** The fields that customers see, and so can look for. Every other one is empty in all that they see. */
const visibleFilters: ReadonlySet<string> = new Set<keyof TicketFilter>([
  'status',
  'priority',
  'type',
  'assignee',
  'requester',
  'created_at',
  'updated_at',
]);

/** The same list of what the customer sees; `undefined` when nothing of that can match. */
export function toCustomerQuery({ person }: Viewer, query: TicketQuery): TicketQuery | undefined {
  const isVisible = Object.keys(query.filter).every((name) => visibleFilters.has(name));
  return person && isVisible ? { ...query, reader: person.id } : undefined;
}

import type { TicketFilter, TicketSort } from '../tickets/ticket-store.ts';
import type { IndexedFilter } from './driving-filter.ts';

const at = '2026-03-01T12:00:00.000Z';
const range = { gte: at, lt: '2026-04-01T12:00:00.000Z' };

export const sorts: readonly TicketSort[] = (['created_at', 'updated_at'] as const).flatMap((field) =>
  (['asc', 'desc'] as const).map((direction) => ({ field, direction })),
);

/** Some position in a list. */
export const position = { value: at, id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071' };

/** Filters with the filter whose index the list must walk: each alone, with a range, and with those it must prevail over. */
export const drivenFilters: readonly (readonly [TicketFilter, driver: IndexedFilter | undefined])[] = [
  [{}, undefined],
  [{ created_at: range }, undefined],
  [{ updated_at: range }, undefined],
  [{ created_at: range, updated_at: range }, undefined],
  [{ status: 'open' }, 'status'],
  [{ priority: 'urgent' }, 'priority'],
  [{ type: 'task' }, 'type'],
  [{ requester: 'ada@example.com' }, 'requester'],
  [{ assignee: 'bob@example.com' }, 'assignee'],
  [{ tag: 'printer' }, 'tag'],
  [{ status: 'open', created_at: range }, 'status'],
  [{ tag: 'printer', updated_at: range }, 'tag'],
  [{ status: 'open', priority: 'urgent' }, 'priority'],
  [{ status: 'open', priority: 'urgent', type: 'task' }, 'type'],
  [{ status: 'open', type: 'task', tag: 'printer' }, 'tag'],
  [{ tag: 'printer', assignee: 'bob@example.com' }, 'assignee'],
  [{ tag: 'printer', assignee: 'bob@example.com', requester: 'ada@example.com' }, 'requester'],
];

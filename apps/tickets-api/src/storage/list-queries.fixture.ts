import type { TicketFilter } from '../helpdesk/list/ticket-filter.ts';
import type { ValueSort } from '../helpdesk/tickets/ticket-store.ts';
import type { IndexedFilter, NextFilter } from './list-plan.ts';

const at = '2026-03-01T12:00:00.000Z';
const range = { gte: at, lt: '2026-04-01T12:00:00.000Z' };

export const sorts: readonly ValueSort[] = (['created_at', 'updated_at'] as const).flatMap((field) =>
  (['asc', 'desc'] as const).map((direction) => ({ field, direction })),
);

/** Arbitrary position in a list. */
export const position = { value: at, id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071' };

type Driven = readonly [TicketFilter, driver: IndexedFilter | undefined, next: NextFilter | undefined];
type Given = readonly [TicketFilter, driver: IndexedFilter | undefined, next?: NextFilter];

const filters: readonly Given[] = [
  [{}, undefined],
  [{ created_at: range }, undefined],
  [{ updated_at: range }, undefined],
  [{ created_at: range, updated_at: range }, undefined],
  [{ status: { any: ['open'] } }, 'status'],
  [{ priority: { any: ['urgent'] } }, 'priority'],
  [{ type: { any: ['task'] } }, 'type'],
  [{ requester: { any: ['ada@example.com'] } }, 'requester'],
  [{ assignee: { any: ['bob@example.com'] } }, 'assignee'],
  [{ tag: { any: ['printer'] } }, 'tag'],
  [{ external_id: { any: ['CRM-7'] }, requester: { any: ['ada@example.com'] } }, 'external_id'],
  [{ follow_up_of: { any: [position.id] }, assignee: { any: ['bob@example.com'] } }, 'follow_up_of'],
  [{ tag: { all: ['printer', 'fire'] } }, 'tag'],
  [{ tag: { not: ['printer'] }, due_at: { isEmpty: false }, 'custom_fields.floor': { gte: 3 } }, undefined],
  [{ links: { any: [position.id] }, version: { gt: '1' } }, undefined],
  [{ channel: { any: ['web'] }, cc: { any: ['ada@example.com'] }, status: { any: ['open'] } }, 'status'],
  [{ status: { any: ['open'] }, created_at: range }, 'status'],
  [{ tag: { any: ['printer'] }, updated_at: range }, 'tag'],
  [{ status: { any: ['open'] }, priority: { any: ['urgent'] } }, 'priority', 'status'],
  [{ status: { any: ['open'] }, priority: { any: ['urgent'] }, type: { any: ['task'] } }, 'type'],
  [{ status: { any: ['open'] }, type: { any: ['task'] }, tag: { any: ['printer'] } }, 'tag', 'status'],
  [{ assignee: { any: ['bob@example.com'] }, priority: { any: ['high'] } }, 'assignee', 'priority'],
  [{ tag: { any: ['printer'] }, assignee: { any: ['bob@example.com'] } }, 'assignee'],
  [
    {
      tag: { any: ['printer'] },
      assignee: { any: ['bob@example.com'] },
      requester: { any: ['ada@example.com'] },
    },
    'requester',
  ],
];

/**
 * Filters with the filter whose index the list must use: each alone, with a range, and with filters of lower
 * precedence. The third item is the second filter that the index in order of creation continues with.
 */
export const drivenFilters = filters.map(([filter, driver, next]): Driven => [filter, driver, next]);

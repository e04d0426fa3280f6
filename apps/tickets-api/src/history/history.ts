import type { FieldSet } from '../fields/field-set.ts';
import type { Viewer } from '../people/viewer.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import { getVisible } from '../tickets/visibility.ts';
import type { EventQuery, EventStore } from './event-store.ts';
import type { EventRecord, TicketEvent } from './ticket-event.ts';

export interface HistoryDeps {
  tickets: Pick<TicketStore, 'find'>;
  store: EventStore;
}

export interface EventPage {
  events: readonly TicketEvent[];
  hasMore: boolean;
}

/** What happened to tickets. */
export interface History {
  /** @throws {AppError} `not_found` when there is no such ticket for the viewer */
  list(viewer: Viewer, query: Omit<EventQuery, 'isPublicOnly'>): Promise<EventPage>;
}

export function createHistory({ tickets, store }: HistoryDeps): History {
  return {
    async list(viewer, query) {
      await getVisible(tickets, viewer, query.ticketId);
      const found = await store.list({ ...query, isPublicOnly: !viewer.isStaff, limit: query.limit + 1 });
      const toView = (record: EventRecord) =>
        viewer.isStaff ? record.event : toCustomerEvent(record, viewer.fields);
      return { events: found.slice(0, query.limit).map(toView), hasMore: found.length > query.limit };
    },
  };
}

/**
 * Customers learn which person did something, and not by which programs the helpdesk works; nor what custom fields had
 * been while they saw them, once they no longer do.
 */
function toCustomerEvent({ event, publicChanges = [] }: EventRecord, fields: FieldSet): TicketEvent {
  const { actor } = event;
  return Object.freeze({
    ...event,
    actor: actor.type === 'client' ? { ...actor, id: null } : actor,
    client_id: null,
    changes: publicChanges.filter(({ field }) => isStillSeen(field, fields)),
  });
}

function isStillSeen(field: string, fields: FieldSet): boolean {
  const [, key] = /^custom_fields\.(.*)$/.exec(field) ?? [];
  return key === undefined || fields.isVisible(key);
}

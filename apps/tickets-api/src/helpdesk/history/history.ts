import { invalidParameter } from '../../wire/faults/validation-errors.ts';
import type { FieldSet } from '../fields/field-set.ts';
import { countMembers, type Total } from '../list/total.ts';
import type { Viewer } from '../people/viewer.ts';
import { assertRight } from '../roles/right.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import { getReadable } from '../tickets/visibility.ts';
import { type AuditEvent, type EventRecord, toAuditEvent } from './audit-event.ts';
import type { EventPosition, EventSearch } from './event-search.ts';
import type { EventQuery, EventStore } from './event-store.ts';

export interface HistoryDeps {
  tickets: Pick<TicketStore, 'find'>;
  store: EventStore;
}

export interface EventPage {
  events: readonly AuditEvent[];
  hasMore: boolean;
}

export interface FoundEvents {
  events: readonly AuditEvent[];
  /**
   * Position at which the list continues, which may be behind more than the events of the page; `undefined` at its end.
   */
  end: EventPosition | undefined;
}

/** Maximum number of events that a page or a count examines when the index does not cover all conditions. */
const STEPS = 2_000;
const COUNT_STEPS = 10_000;

/** Queries of the audit log. */
export interface History {
  /** @throws {AppError} `not_found` when there is no such ticket for the viewer */
  list(viewer: Viewer, query: Omit<EventQuery, 'isPublicOnly'> & { isDeleted: boolean }): Promise<EventPage>;
  /** The number of events on all pages of such a list. @throws {AppError} as `list` */
  countOf(viewer: Viewer, query: Pick<EventQuery, 'ticketId'> & { isDeleted: boolean }): Promise<Total>;
  /**
   * Events of all tickets and definitions. A page may hold fewer than its limit, even none, before the end of the list.
   *
   * @throws {AppError} `forbidden` without the right `export_events`; `validation_failed` when `me` is a machine
   */
  search(viewer: Viewer, search: EventSearch): Promise<FoundEvents>;
  /** The number of events of such a list, up to 10,000. @throws {AppError} as `search` */
  count(viewer: Viewer, search: EventSearch): Promise<Total>;
}

export function createHistory({ tickets, store }: HistoryDeps): History {
  return {
    async list(viewer, { isDeleted, ...query }) {
      await getReadable(tickets, viewer, { id: query.ticketId, isDeleted });
      const found = await store.list({ ...query, isPublicOnly: !viewer.isStaff, limit: query.limit + 1 });
      const toView = (record: EventRecord) =>
        viewer.isStaff ? toAuditEvent(record.event) : toCustomerEvent(record, viewer.fields);
      return { events: found.slice(0, query.limit).map(toView), hasMore: found.length > query.limit };
    },
    async countOf(viewer, { ticketId, isDeleted }) {
      await getReadable(tickets, viewer, { id: ticketId, isDeleted });
      const isPublicOnly = !viewer.isStaff;
      return countMembers((limit) => store.countOf({ ticketId, isPublicOnly, limit }));
    },
    async search(viewer, search) {
      assertRight(viewer, 'export_events');
      const query = withViewer(viewer, search);
      const until = await store.findStep(query, STEPS);
      const found = await store.search({ ...query, ...(until && { until }), limit: query.limit + 1 });
      const events = found.slice(0, query.limit).map(({ event }) => toAuditEvent(event));
      return { events, end: found.length > query.limit ? toPlace(events.at(-1)) : until };
    },
    async count(viewer, { after: _, ...search }) {
      assertRight(viewer, 'export_events');
      const query = withViewer(viewer, search);
      const until = await store.findStep(query, COUNT_STEPS);
      const bounded = { ...query, ...(until && { until }) };
      const { total, isExact } = await countMembers((limit) => store.count({ ...bounded, limit }));
      return { total, isExact: isExact && !until };
    },
  };
}

function toPlace(event: AuditEvent | undefined): EventPosition | undefined {
  return event && { created_at: event.created_at, id: event.id };
}

/** The search with `me` replaced by the id of the viewer. */
function withViewer({ person }: Viewer, search: EventSearch): EventSearch {
  const { actor } = search.filter;
  if (!actor?.any?.includes('me')) return search;
  if (!person)
    throw invalidParameter(
      'actor',
      'must not be me, because the token has no person with events; send an id',
    );
  const any = actor.any.map((id) => (id === 'me' ? person.id : id));
  return { ...search, filter: { ...search.filter, actor: { any } } };
}

/**
 * Returns the event as customers see it: actors by name without address, no clients, and no custom fields that are
 * hidden from customers now.
 */
function toCustomerEvent({ event, publicChanges = [] }: EventRecord, fields: FieldSet): AuditEvent {
  const { type, id, name } = event.actor;
  const isNamed = name !== null && !name.includes('@');
  return Object.freeze({
    ...toAuditEvent(event),
    actor: { type, id: type === 'client' ? null : id, name: isNamed ? name : null },
    client_id: null,
    changes: publicChanges.filter(({ field }) => isStillSeen(field, fields)),
  });
}

function isStillSeen(field: string, fields: FieldSet): boolean {
  const [, key] = /^custom_fields\.(.*)$/.exec(field) ?? [];
  return key === undefined || fields.isVisible(key);
}

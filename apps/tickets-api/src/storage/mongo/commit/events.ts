import { deepFreeze } from '@keydesk/storage/deep-freeze';
import { guardMongo } from '@keydesk/storage/mongo';
import { createDocumentSchema, createPartSchema } from '@keydesk/storage/mongo-documents';
import { type Connection, type Model, type QueryFilter, Schema, trusted } from 'mongoose';
import type {
  EventRecord,
  EventResource,
  FieldChange,
  StoredEvent,
} from '../../../helpdesk/history/audit-event.ts';
import {
  type EventFilter,
  type EventPosition,
  type EventSearch,
  findEventDriver,
  isServedByIndex,
} from '../../../helpdesk/history/event-search.ts';
import type { EventQuery, EventStore } from '../../../helpdesk/history/event-store.ts';
import { ranges } from '../../../helpdesk/list/ticket-filter.ts';

export function createEventStore({ events }: { events: Model<EventDocument> }): EventStore {
  return {
    search: (query) => guardMongo(async () => (await searchEvents(events, query)).map(toEventRecord)),
    findStep: (query, steps) =>
      guardMongo(async () => {
        if (isServedByIndex(query)) return undefined;
        const [step] = await walkEvents(events, query)
          .skip(steps - 1)
          .limit(1)
          .lean();
        return step && { created_at: step.created_at.toISOString(), id: step._id };
      }),
    count: (query) =>
      guardMongo(() =>
        events.countDocuments(toSearchFilter(query, query.filter)).hint(indexOf(query)).limit(query.limit),
      ),
    countOf: (query) =>
      guardMongo(() => events.countDocuments(toTicketFilter(query)).hint(walkOf(query)).limit(query.limit)),
    list: (query) => guardMongo(async () => (await selectEvents(events, query)).map(toEventRecord)),
  };
}

/** Selects the events of one ticket by an index. */
export function selectEvents(events: Model<EventDocument>, query: EventQuery) {
  const { direction, after, limit } = query;
  const filter: QueryFilter<EventDocument> = {
    ...toTicketFilter(query),
    ...(after !== undefined && { _id: trusted({ [direction === 'desc' ? '$lt' : '$gt']: after }) }),
  };
  return events.find(filter).sort({ _id: direction }).limit(limit).hint(walkOf(query)).lean();
}

function toTicketFilter({
  ticketId,
  isPublicOnly,
}: Pick<EventQuery, 'ticketId' | 'isPublicOnly'>): QueryFilter<EventDocument> {
  return { ticket_id: { $eq: ticketId }, ...(isPublicOnly && { is_public: { $eq: true } }) };
}

function walkOf({ isPublicOnly }: Pick<EventQuery, 'isPublicOnly'>): string {
  return isPublicOnly ? 'by_ticket_and_visibility' : 'by_ticket';
}

/** Selects a page of the events of all tickets by one index. */
export function searchEvents(events: Model<EventDocument>, query: EventSearch) {
  return selectInOrder(events, query, query.filter).limit(query.limit).lean();
}

/** Selects the events that a search walks, whether they match all conditions or not. */
function walkEvents(events: Model<EventDocument>, query: EventSearch) {
  const driver = findEventDriver(query);
  const { created_at } = query.filter;
  return selectInOrder(events, query, {
    ...(created_at && { created_at }),
    ...(driver && { [driver]: query.filter[driver] }),
  });
}

function selectInOrder(events: Model<EventDocument>, query: EventSearch, filter: EventFilter) {
  const { direction } = query;
  return events
    .find(toSearchFilter(query, filter))
    .sort({ created_at: direction, _id: direction })
    .hint(indexOf(query));
}

function indexOf(query: EventSearch): string {
  const driver = findEventDriver(query);
  if (!driver) return 'in_order';
  return { ticket_id: 'by_ticket', actor: 'by_actor', type: 'by_type' }[driver];
}

function toSearchFilter(
  { direction, after, until }: EventSearch,
  { actor, client_id, type, ticket_id, created_at = {} }: EventFilter,
): QueryFilter<EventDocument> {
  const actors = actor?.any?.map((id) => (id === 'system' ? null : id));
  const bounds = ranges.flatMap((operator) => {
    const bound = created_at[operator];
    return bound === undefined ? [] : [{ created_at: trusted({ [`$${operator}`]: new Date(bound) }) }];
  });
  const [behind, before] = direction === 'asc' ? (['$gt', '$lt'] as const) : (['$lt', '$gt'] as const);
  const conditions: QueryFilter<EventDocument>[] = [
    ...(actors ? [{ 'actor.id': trusted({ $in: actors }) }] : []),
    ...(client_id?.any ? [{ client_id: trusted({ $in: client_id.any }) }] : []),
    ...(type?.any ? [{ type: trusted({ $in: type.any }) }] : []),
    ...(ticket_id?.any ? [{ ticket_id: trusted({ $in: ticket_id.any }) }] : []),
    ...bounds,
    ...(after ? isAt(after, behind, behind) : []),
    ...(until ? isAt(until, before, `${before}e`) : []),
  ];
  return conditions.length > 0 ? { $and: conditions } : {};
}

/** Returns conditions for events after a position. The first bounds the index; the id breaks ties of time. */
function isAt({ created_at, id }: EventPosition, past: '$gt' | '$lt', beside: string) {
  const at = new Date(created_at);
  return [
    { created_at: trusted({ [`${past}e`]: at }) },
    { $or: [{ created_at: trusted({ [past]: at }) }, { _id: trusted({ [beside]: id }) }] },
  ] as QueryFilter<EventDocument>[];
}

/** Event as MongoDB stores it. */
export interface EventDocument extends Omit<StoredEvent, 'id' | 'created_at' | 'resource'> {
  _id: string;
  created_at: Date;
  /** Absent if the ids of ticket and reply identify it. */
  resource?: { type: string; id: string };
  /** Whether customers see it, with `public_changes`. */
  is_public: boolean;
  public_changes: FieldChange[];
}

export const eventIndexes = [
  { name: 'by_ticket', key: { ticket_id: 1, _id: 1 } as const },
  { name: 'by_ticket_and_visibility', key: { ticket_id: 1, is_public: 1, _id: 1 } as const },
  { name: 'in_order', key: { created_at: 1, _id: 1 } as const },
  { name: 'by_actor', key: { 'actor.id': 1, created_at: 1, _id: 1 } as const },
  { name: 'by_type', key: { type: 1, created_at: 1, _id: 1 } as const },
];

export function createEventModel(connection: Connection): Model<EventDocument> {
  const { Mixed } = Schema.Types;
  const change = createPartSchema({ field: String, from: Mixed, to: Mixed });
  const schema = createDocumentSchema<EventDocument>({
    _id: String,
    resource: createPartSchema({ type: String, id: String }),
    ticket_id: String,
    reply_id: String,
    type: String,
    actor: createPartSchema({ type: String, id: String, name: String }),
    client_id: String,
    changes: [change],
    created_at: Date,
    is_public: Boolean,
    public_changes: [change],
  });
  return connection.model<EventDocument>('Event', schema, 'events');
}

export function toEventDocument({ event, publicChanges }: EventRecord): EventDocument {
  const { id, created_at, ...same } = event;
  return {
    _id: id,
    ...same,
    created_at: new Date(created_at),
    is_public: publicChanges !== undefined,
    public_changes: [...(publicChanges ?? [])],
  };
}

function toEventRecord(document: EventDocument): EventRecord {
  const { resource } = document;
  const event: StoredEvent = {
    id: document._id,
    ...(resource && { resource: resource as EventResource }),
    ticket_id: document.ticket_id,
    reply_id: document.reply_id,
    type: document.type,
    actor: document.actor,
    client_id: document.client_id,
    changes: document.changes,
    created_at: document.created_at.toISOString(),
  };
  return deepFreeze({ event, ...(document.is_public && { publicChanges: document.public_changes }) });
}

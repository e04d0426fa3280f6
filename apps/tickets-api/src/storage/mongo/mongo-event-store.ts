import { guardMongo } from '@keydesk/storage/mongo';
import { type Model, type QueryFilter, trusted } from 'mongoose';
import type { EventQuery, EventStore } from '../../history/event-store.ts';
import { type EventDocument, toEventRecord } from './event-model.ts';

export function createMongoEventStore(events: Model<EventDocument>): EventStore {
  return {
    list: (query) => guardMongo(async () => (await selectEvents(events, query)).map(toEventRecord)),
  };
}

/** The documents of a list, found by walking an index of the events of one ticket. */
export function selectEvents(events: Model<EventDocument>, query: EventQuery) {
  const { ticketId, isPublicOnly, direction, after, limit } = query;
  const filter: QueryFilter<EventDocument> = {
    ticket_id: { $eq: ticketId },
    ...(isPublicOnly && { is_public: { $eq: true } }),
    ...(after !== undefined && { _id: trusted({ [direction === 'desc' ? '$lt' : '$gt']: after }) }),
  };
  return events
    .find(filter)
    .sort({ _id: direction })
    .limit(limit)
    .hint(isPublicOnly ? 'by_ticket_and_visibility' : 'by_ticket')
    .lean();
}

import type { RouterContext } from '@koa/router';
import { z } from 'zod';
import { type AuditEvent, auditEventSchema, eventTypes } from '../../helpdesk/history/audit-event.ts';
import {
  type EventPosition,
  type EventSearch,
  eventPositionSchema,
} from '../../helpdesk/history/event-search.ts';
import type { History } from '../../helpdesk/history/history.ts';
import { ranges } from '../../helpdesk/list/ticket-filter.ts';
import type { Viewer } from '../../helpdesk/people/viewer.ts';
import { isUuid } from '../../wire/schema/scalars.ts';
import { scopes } from '../access/access.ts';
import { type Route, readTicketId } from '../http/routes.ts';
import { getViewer } from '../http/viewer-state.ts';
import { createFilters } from '../lists/filter-grammar.ts';
import { createListGrammar, type ListRequest } from '../lists/list-grammar.ts';
import { createListResponder } from '../lists/list-responder.ts';
import { byTime, sortParameter, toSort } from '../lists/sort.ts';
import { createTimelineGrammar, toTimelineCursor, toTimelineQuery } from '../lists/timeline.ts';

/** Words for all types of events of one kind of resource. */
const families = auditEventSchema.shape.resource.shape.type.options;

const filters = createFilters(
  {
    actor: { kind: 'actor', operators: ['any'] },
    client_id: { kind: 'client', operators: ['any'] },
    type: { kind: 'type', words: [...families, ...eventTypes], operators: ['any'] },
    ticket_id: { kind: 'ticket', operators: ['any'] },
    created_at: { kind: 'time', operators: ranges },
  },
  {
    actor: z
      .string()
      .regex(/^[\x21-\x7E]{1,255}$/, 'must be the id of a person or client, system, or me')
      .transform((id) => (isUuid(id) ? id.toLowerCase() : id)),
    client: z.string().regex(/^[\x21-\x7E]{1,255}$/, 'must be the id of a client'),
    ticket: z.uuid('must be the id of a ticket').toLowerCase(),
  },
);

/** Query string of `GET /events`. */
export const eventSearchGrammar = createListGrammar({
  owner: { list: 'events', operation: 'listAllEvents' },
  position: eventPositionSchema,
  sort: sortParameter(['created_at'], '-created_at', byTime),
  fields: Object.keys(auditEventSchema.shape),
  filters,
  hasTotal: true,
});

/** Returns the search that a request asks for. A family stands for all of its types. */
function toEventSearch({ limit, sort, after, conditions }: ListRequest<EventPosition>): EventSearch {
  const { type, ...filter } = conditions;
  const types = eventTypes.filter((each) =>
    type?.any?.some((given) => each === given || each.startsWith(`${given}.`)),
  );
  return {
    filter: { ...filter, ...(type && { type: { any: types } }) },
    direction: toSort(sort as 'created_at').direction,
    limit,
    ...(after && { after }),
  };
}

export interface HistoryRoutesDeps {
  history: History;
  /** Base of links. */
  baseUrl: string;
  now: () => Date;
}

/** Responds with pages of events. */
export const eventResponder = createListResponder<AuditEvent>({
  schema: auditEventSchema,
  singular: 'event',
  plural: 'events',
  identity: 'id',
});

export const eventGrammar = createTimelineGrammar(
  { list: 'events of a ticket', operation: 'listEvents' },
  Object.keys(auditEventSchema.shape),
);

/** Creates the routes `/ticket/{id}/events` and `/events`. */
export function createHistoryRoutes({ history, baseUrl, now }: HistoryRoutesDeps): readonly Route[] {
  async function listEvents(ctx: RouterContext) {
    const ticketId = readTicketId(ctx);
    const request = eventGrammar.parse(ctx.querystring, { scope: ticketId });
    const { after, ...page } = toTimelineQuery(request);
    const query = { ...page, ticketId, ...(after && { after: after.id }) };
    const { events: items, hasMore } = await history.list(getViewer(ctx), query);
    eventResponder.respond(ctx, baseUrl, {
      items,
      fields: request.fields,
      nextCursor: toTimelineCursor({ items, hasMore }, request),
      total: request.hasTotal ? await history.countOf(getViewer(ctx), query) : undefined,
      toTag: ({ id }) => id + seenBy(getViewer(ctx)),
    });
  }

  async function listAllEvents(ctx: RouterContext) {
    const request = eventSearchGrammar.parse(ctx.querystring, { now: now() });
    const search = toEventSearch(request);
    const { events, end } = await history.search(getViewer(ctx), search);
    eventResponder.respond(ctx, baseUrl, {
      items: events,
      fields: request.fields,
      nextCursor: end ? request.toCursor(end) : null,
      total: request.hasTotal ? await history.count(getViewer(ctx), search) : undefined,
      toTag: ({ id }) => id,
    });
  }

  return [
    ['GET', '/ticket/:id/events', scopes.read, listEvents],
    ['GET', '/events', scopes.read, listAllEvents],
  ];
}

/** Returns the viewer part of an entity tag: events are immutable, but the custom fields that customers see are not. */
function seenBy({ isStaff, fields }: Viewer): string {
  return isStaff ? '' : `c${fields.visibleKeys}`;
}

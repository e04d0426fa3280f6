import type { RouterContext } from '@koa/router';
import { type AuditEvent, auditEventSchema } from '../../helpdesk/history/audit-event.ts';
import type { History } from '../../helpdesk/history/history.ts';
import type { Viewer } from '../../helpdesk/people/viewer.ts';
import { scopes } from '../http/access.ts';
import { type Route, readTicketId } from '../http/routes.ts';
import { getViewer } from '../http/viewer-state.ts';
import { createListResponder } from '../lists/list-responder.ts';
import { createTimelineGrammar, toTimelineCursor, toTimelineQuery } from '../lists/timeline.ts';
import { eventSearchGrammar, toEventSearch } from './event-query.ts';

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

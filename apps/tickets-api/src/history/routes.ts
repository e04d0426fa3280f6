import { requireScope } from '@keydesk/access-token';
import type { Middleware } from 'koa';
import { scopes } from '../access.ts';
import { createRenderer } from '../formats/renderer.ts';
import { GuardedRouter } from '../http/guarded-router.ts';
import { readId } from '../http/path-id.ts';
import { respondWithPage } from '../http/respond.ts';
import { getViewer } from '../http/viewer-state.ts';
import { createChronicleGrammar, toChronicleCursor, toChronicleQuery } from '../lists/chronicle.ts';
import { selectFields, toSelectable } from '../lists/list-grammar.ts';
import type { Viewer } from '../people/viewer.ts';
import { eventSearchGrammar, toEventSearch } from './event-search.ts';
import type { History } from './history.ts';
import { ticketEventSchema } from './ticket-event.ts';

export interface HistoryRoutesDeps {
  history: History;
  /** Links are built from it. */
  baseUrl: string;
  /** What every request has to pass first: it sets `ctx.state.caller` and `ctx.state.viewer`. */
  guard: Middleware;
  now: () => Date;
}

/** An event in a list of which some fields may be selected. */
export const selectedEventSchema = toSelectable(ticketEventSchema, 'id');
const selectedRenderer = createRenderer({
  schema: selectedEventSchema,
  singular: 'event',
  plural: 'events',
});

export const eventGrammar = createChronicleGrammar(
  { list: 'events of a ticket', operation: 'listEvents' },
  Object.keys(ticketEventSchema.shape),
);

/** `/ticket/{id}/events` and `/events`. */
export function createHistoryRoutes({ history, baseUrl, guard, now }: HistoryRoutesDeps): GuardedRouter {
  const router = new GuardedRouter(guard);

  router.get('/ticket/:id/events', requireScope(scopes.read), async function listEvents(ctx) {
    const ticketId = readId(ctx, 'id', 'ticket');
    const request = eventGrammar.parse(ctx.querystring, { scope: ticketId });
    const { after, ...page } = toChronicleQuery(request);
    const query = { ...page, ticketId, ...(after && { after: after.id }) };
    const { events: items, hasMore } = await history.list(getViewer(ctx), query);
    respondWithPage(ctx, baseUrl, {
      items: items.map((event) => selectFields(event, request.fields, 'id')),
      nextCursor: toChronicleCursor({ items, hasMore }, request),
      renderer: selectedRenderer,
      toTag: ({ id }) => `${id}${seenBy(getViewer(ctx))} ${request.fields ?? ''}`,
    });
  });

  router.get('/events', requireScope(scopes.read), async function listAllEvents(ctx) {
    const request = eventSearchGrammar.parse(ctx.querystring, { now: now() });
    const search = toEventSearch(request);
    const { events, end } = await history.search(getViewer(ctx), search);
    respondWithPage(ctx, baseUrl, {
      items: events.map((event) => selectFields(event, request.fields, 'id')),
      nextCursor: end ? request.toCursor(end) : null,
      total: request.hasTotal ? await history.count(getViewer(ctx), search) : undefined,
      renderer: selectedRenderer,
      toTag: ({ id = '' }) => `${id} ${request.fields ?? ''}`,
    });
  });

  return router;
}

/** Events never change, but customers see less of them, and which custom fields they see in them changes. */
function seenBy({ isStaff, fields }: Viewer): string {
  return isStaff ? '' : `c${fields.visibleKeys}`;
}

import { requireScope } from '@keydesk/access-token';
import type { RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { z } from 'zod';
import { toIdKey } from '../../helpdesk/commit/idempotency.ts';
import { withTypedValues } from '../../helpdesk/fields/typed-values.ts';
import type { Viewer } from '../../helpdesk/people/viewer.ts';
import {
  parseTicketEdit,
  type ToChanges,
  toChanges,
  toPatchedChanges,
} from '../../helpdesk/tickets/edits.ts';
import type { Ticket } from '../../helpdesk/tickets/ticket.ts';
import type { Tickets } from '../../helpdesk/tickets/tickets.ts';
import { readBody, readMergePatch, rejectBody } from '../../wire/request-body.ts';
import { scopes } from '../http/access.ts';
import { GuardedRouter } from '../http/guarded-router.ts';
import { createOrLinkExisting } from '../http/id-in-use.ts';
import { rejectIdempotencyKey, toRepeatableRequests } from '../http/idempotency-key.ts';
import { readId } from '../http/path-id.ts';
import { createParameterReader, oneOf, rejectParameters } from '../http/query-parameters.ts';
import { getViewer, readViewPrecondition } from '../http/viewer-state.ts';
import { parseListQuery, type TicketListRequest } from './list-query.ts';
import { locateHolder } from './locate-holder.ts';
import { readProjectionParameters } from './projection.ts';
import { findEditFaults, readNewTicket } from './read-ticket-body.ts';
import {
  type ProjectedPage,
  replyWithChange,
  replyWithCreation,
  replyWithPage,
  replyWithView,
  toTicketUrl,
} from './responses.ts';

export interface TicketRoutesDeps {
  tickets: Tickets;
  /** Base of the URLs in responses. */
  baseUrl: string;
  /** Runs before every route: it sets `ctx.state.caller` and `ctx.state.viewer`. */
  guard: Middleware;
  now: () => Date;
}

/** The query parameters of `DELETE /ticket/{id}`. */
export const deleteParametersSchema = z.object({
  purge: oneOf(['true', 'false'])
    .default('false')
    .describe('Deletes it for good, with its replies and history; needs the right `purge_tickets`'),
});

/** The query parameters of operations that add or edit a ticket. */
export const ticketWriteParametersSchema = z.object({
  external_id_unique: oneOf(['true', 'false'])
    .default('false')
    .describe('Keeps the `external_id` unique within this client; for agents and administrators'),
});

const readDeleteParameters = createParameterReader(deleteParametersSchema);
const readWriteParameters = createParameterReader(ticketWriteParametersSchema);

/** Creates the routes of `/tickets` and `/ticket/{id}`; an earlier middleware removes the format suffix. */
export function createTicketRoutes({ tickets, baseUrl, guard, now }: TicketRoutesDeps): GuardedRouter {
  const router = new GuardedRouter(guard);
  const read = requireScope(scopes.read);
  const write = requireScope(scopes.write);
  const remove = requireScope(scopes.delete);
  const ticketId = (ctx: RouterContext) => readId(ctx, 'id', 'ticket');

  async function change(ctx: RouterContext, toNext: ToChanges, input: unknown): Promise<void> {
    const [viewer, isMet, isUnique] = [getViewer(ctx), readViewPrecondition(ctx), readIsUnique(ctx)];
    const requests = toRepeatableRequests(ctx, toAsked(input, isUnique));
    const act = () => tickets.change(viewer, ticketId(ctx), toNext, isMet, requests, isUnique);
    replyWithChange(ctx, await locateHolder(ctx, baseUrl, act));
  }

  router.get('/tickets', read, async function listTickets(ctx) {
    const request = parseListQuery(ctx.querystring, { now: now(), definitions: getViewer(ctx).definitions });
    replyWithPage(ctx, baseUrl, request, await readPage(tickets, getViewer(ctx), request));
  });

  router.post('/tickets', write, async function addTicket(ctx) {
    const isUnique = readIsUnique(ctx);
    const input = readNewTicket(getViewer(ctx), await readBody(ctx, 'ticket'));
    const { id = '' } = input;
    const requests = toRepeatableRequests(ctx, toAsked(input, isUnique), id && toIdKey('ticket', id));
    const create = () => tickets.create(getViewer(ctx), input, requests, isUnique);
    const existing = { url: toTicketUrl(ctx, baseUrl, id), find: () => tickets.get(getViewer(ctx), id) };
    const outcome = await createOrLinkExisting(() => locateHolder(ctx, baseUrl, create), existing);
    replyWithCreation(ctx, baseUrl, outcome);
  });

  router.get('/ticket/:id', read, async function fetchTicket(ctx) {
    const { deleted, ...shown } = readProjectionParameters(ctx.querystring);
    const ticket = await tickets.get(getViewer(ctx), ticketId(ctx), deleted === 'true');
    replyWithView(ctx, ticket, shown, await tickets.include(getViewer(ctx), [ticket], shown.include));
  });

  router.put('/ticket/:id', write, async function editTicket(ctx) {
    const body = await readBody(ctx, 'ticket');
    const edit = parseTicketEdit(body, findEditFaults(getViewer(ctx)));
    const { fields } = getViewer(ctx);
    const toNext = (view: Ticket) => toChanges(view, withTypedValues(fields, body, edit, view.custom_fields));
    await change(ctx, toNext, withTypedValues(fields, body, edit));
  });

  router.patch('/ticket/:id', write, async function patchTicket(ctx) {
    const patch = await readMergePatch(ctx);
    await change(ctx, (view) => toPatchedChanges(view, patch, findEditFaults(getViewer(ctx))), patch);
  });

  router.delete('/ticket/:id', remove, rejectBody, async function deleteTicket(ctx) {
    const { purge } = readDeleteParameters(ctx.querystring);
    if (purge === 'true') rejectIdempotencyKey(ctx);
    const act = purge === 'true' ? tickets.purge : tickets.remove;
    const requests = toRepeatableRequests(ctx, null);
    replyWithChange(ctx, await act(getViewer(ctx), ticketId(ctx), readViewPrecondition(ctx), requests));
  });

  router.post('/ticket/:id/restore', write, rejectParameters, rejectBody, async function restoreTicket(ctx) {
    const [viewer, isMet, requests] = [
      getViewer(ctx),
      readViewPrecondition(ctx),
      toRepeatableRequests(ctx, null),
    ];
    replyWithChange(ctx, await tickets.restore(viewer, ticketId(ctx), isMet, requests));
  });

  return router;
}

function readIsUnique({ querystring }: RouterContext): boolean {
  return readWriteParameters(querystring).external_id_unique === 'true';
}

/** Returns the content that a repeated request must share with the first. */
function toAsked(input: unknown, isUnique: boolean): unknown {
  return isUnique ? [input, { external_id_unique: true }] : input;
}

/** Reads a page of a list with the requested side loads, highlights and total. */
async function readPage(
  tickets: Tickets,
  viewer: Viewer,
  request: TicketListRequest,
): Promise<ProjectedPage> {
  const { query, shown, hasTotal, isHighlighted } = request;
  const page = await tickets.list(viewer, query);
  const { search } = query;
  return {
    ...page,
    total: hasTotal ? await tickets.count(viewer, query) : undefined,
    included: await tickets.include(viewer, page.tickets, shown.include),
    highlights: isHighlighted && search ? await tickets.highlight(viewer, page.tickets, search) : undefined,
  };
}

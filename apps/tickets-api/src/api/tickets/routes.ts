import type { RouterContext } from '@koa/router';
import { z } from 'zod';
import { toIdKey } from '../../helpdesk/commit/idempotency.ts';
import { withTypedValues } from '../../helpdesk/fields/field-value.ts';
import type { Viewer } from '../../helpdesk/people/viewer.ts';
import {
  parseTicketEdit,
  type ToChanges,
  toChanges,
  toPatchedChanges,
} from '../../helpdesk/tickets/edits.ts';
import type { Ticket } from '../../helpdesk/tickets/ticket.ts';
import type { Tickets } from '../../helpdesk/tickets/tickets.ts';
import { readBody, readMergePatch, rejectBody } from '../../wire/input/request-body.ts';
import { scopes } from '../access/access.ts';
import { createOrLinkExisting } from '../http/id-in-use.ts';
import { rejectIdempotencyKey, toRepeatableRequests } from '../http/idempotency-key.ts';
import { createParameterReader, oneOf, rejectParameters } from '../http/query-parameters.ts';
import { type Route, readTicketId } from '../http/routes.ts';
import { getViewer, readViewPrecondition } from '../http/viewer-state.ts';
import { parseListQuery, type TicketListRequest } from './list-query.ts';
import { readProjectionParameters } from './projection.ts';
import { findEditFaults, readNewTicket } from './read-ticket-body.ts';
import {
  locateHolder,
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
  now: () => Date;
}

/** The query parameters of `DELETE /ticket/{id}`. */
export const deleteParametersSchema = z.object({
  purge: oneOf(['true', 'false'])
    .default('false')
    .describe(
      'Whether to delete the ticket permanently, with its replies and history; requires the right `purge_tickets`',
    ),
});

/** The query parameters of operations that add or edit a ticket. */
export const ticketWriteParametersSchema = z.object({
  external_id_unique: oneOf(['true', 'false'])
    .default('false')
    .describe('Whether the `external_id` must be unique within this client; for agents and administrators'),
});

const readDeleteParameters = createParameterReader(deleteParametersSchema);
const readWriteParameters = createParameterReader(ticketWriteParametersSchema);

/** Creates the routes of `/tickets` and `/ticket/{id}`; an earlier middleware removes the format suffix. */
export function createTicketRoutes({ tickets, baseUrl, now }: TicketRoutesDeps): readonly Route[] {
  async function change(ctx: RouterContext, toNext: ToChanges, input: unknown): Promise<void> {
    const [viewer, isMet, isUnique] = [getViewer(ctx), readViewPrecondition(ctx), readIsUnique(ctx)];
    const requests = toRepeatableRequests(ctx, toAsked(input, isUnique));
    const act = () => tickets.change(viewer, readTicketId(ctx), toNext, isMet, requests, isUnique);
    replyWithChange(ctx, await locateHolder(ctx, baseUrl, act));
  }

  async function listTickets(ctx: RouterContext) {
    const request = parseListQuery(ctx.querystring, { now: now(), definitions: getViewer(ctx).definitions });
    replyWithPage(ctx, baseUrl, request, await readPage(tickets, getViewer(ctx), request));
  }

  async function addTicket(ctx: RouterContext) {
    const isUnique = readIsUnique(ctx);
    const input = readNewTicket(getViewer(ctx), await readBody(ctx, 'ticket'));
    const { id = '' } = input;
    const requests = toRepeatableRequests(ctx, toAsked(input, isUnique), id && toIdKey('ticket', id));
    const create = () => tickets.create(getViewer(ctx), input, requests, isUnique);
    const existing = { url: toTicketUrl(ctx, baseUrl, id), find: () => tickets.get(getViewer(ctx), id) };
    const outcome = await createOrLinkExisting(() => locateHolder(ctx, baseUrl, create), existing);
    replyWithCreation(ctx, baseUrl, outcome);
  }

  async function fetchTicket(ctx: RouterContext) {
    const { deleted, ...shown } = readProjectionParameters(ctx.querystring);
    const ticket = await tickets.get(getViewer(ctx), readTicketId(ctx), deleted === 'true');
    replyWithView(ctx, ticket, shown, await tickets.include(getViewer(ctx), [ticket], shown.include));
  }

  async function editTicket(ctx: RouterContext) {
    const body = await readBody(ctx, 'ticket');
    const edit = parseTicketEdit(body, findEditFaults(getViewer(ctx)));
    const { fields } = getViewer(ctx);
    const toNext = (view: Ticket) => toChanges(view, withTypedValues(fields, body, edit, view.custom_fields));
    await change(ctx, toNext, withTypedValues(fields, body, edit));
  }

  async function patchTicket(ctx: RouterContext) {
    const patch = await readMergePatch(ctx);
    await change(ctx, (view) => toPatchedChanges(view, patch, findEditFaults(getViewer(ctx))), patch);
  }

  async function deleteTicket(ctx: RouterContext) {
    const { purge } = readDeleteParameters(ctx.querystring);
    if (purge === 'true') rejectIdempotencyKey(ctx);
    const act = purge === 'true' ? tickets.purge : tickets.remove;
    const requests = toRepeatableRequests(ctx, null);
    replyWithChange(ctx, await act(getViewer(ctx), readTicketId(ctx), readViewPrecondition(ctx), requests));
  }

  async function restoreTicket(ctx: RouterContext) {
    const [isMet, requests] = [readViewPrecondition(ctx), toRepeatableRequests(ctx, null)];
    replyWithChange(ctx, await tickets.restore(getViewer(ctx), readTicketId(ctx), isMet, requests));
  }

  return [
    ['GET', '/tickets', scopes.read, listTickets],
    ['POST', '/tickets', scopes.write, addTicket],
    ['GET', '/ticket/:id', scopes.read, fetchTicket],
    ['PUT', '/ticket/:id', scopes.write, editTicket],
    ['PATCH', '/ticket/:id', scopes.write, patchTicket],
    ['DELETE', '/ticket/:id', scopes.delete, rejectBody, deleteTicket],
    ['POST', '/ticket/:id/restore', scopes.write, rejectParameters, rejectBody, restoreTicket],
  ];
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

import { requireScope } from '@keydesk/access-token';
import { AppError } from '@keydesk/http';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { requireStaff, scopes } from '../access.ts';
import { readBody, readMergePatch } from '../formats/request-body.ts';
import { isMatch } from '../http/conditional-requests.ts';
import { tellReplay, toRepeatableRequest } from '../http/idempotency-key.ts';
import { parseNewTicket, parseTicketEdit, toChanges, toPatchedChanges } from './edits.ts';
import { parseListQuery } from './list-query.ts';
import { replyWithChange, replyWithPage, replyWithTicket } from './responses.ts';
import type { Tickets } from './tickets.ts';

export interface TicketRoutesDeps {
  tickets: Tickets;
  /** Links are built from it. */
  baseUrl: string;
  /** What every request has to pass first: it sets `ctx.state.caller`. */
  guards: readonly Middleware[];
}

/** `/tickets` and `/ticket/{id}`; the format suffix has been taken off the path before. */
export function createTicketRoutes({ tickets, baseUrl, guards }: TicketRoutesDeps): Router {
  const router = new Router();
  router.use(...guards);
  const staff = requireStaff();
  const read = requireScope(scopes.read);
  const write = requireScope(scopes.write);
  const remove = requireScope(scopes.delete);
  const ifMatch = (ctx: Context) => (version: number) => isMatch(ctx, version);

  router.get('/tickets', staff, read, async function listTickets(ctx) {
    const query = parseListQuery(ctx.querystring);
    replyWithPage(ctx, baseUrl, query, await tickets.list(query));
  });

  router.post('/tickets', staff, write, async function addTicket(ctx) {
    const input = parseNewTicket(await readBody(ctx, 'ticket'));
    const { resource: ticket, isReplayed } = await tickets.create(input, toRepeatableRequest(ctx, input));
    ctx.status = 201;
    tellReplay(ctx, isReplayed);
    ctx.set('Location', `${baseUrl}/ticket/${ticket.id}.${ctx.state.format}`);
    replyWithTicket(ctx, ticket);
  });

  router.get('/ticket/:id', staff, read, async function fetchTicket(ctx) {
    replyWithTicket(ctx, await tickets.get(ticketId(ctx)));
  });

  router.put('/ticket/:id', staff, write, async function editTicket(ctx) {
    const edit = parseTicketEdit(await readBody(ctx, 'ticket'));
    const outcome = await tickets.change(ticketId(ctx), (current) => toChanges(current, edit), ifMatch(ctx));
    replyWithChange(ctx, outcome);
  });

  router.patch('/ticket/:id', staff, write, async function patchTicket(ctx) {
    const patch = await readMergePatch(ctx);
    const outcome = await tickets.change(
      ticketId(ctx),
      (current) => toPatchedChanges(current, patch),
      ifMatch(ctx),
    );
    replyWithChange(ctx, outcome);
  });

  router.delete('/ticket/:id', staff, remove, async function deleteTicket(ctx) {
    replyWithTicket(ctx, await tickets.remove(ticketId(ctx), ifMatch(ctx)));
  });

  return router;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @throws {AppError} `not_found` for what cannot be the id of a ticket */
function ticketId({ params }: { params: Record<string, string | undefined> }): string {
  const { id = '' } = params;
  if (uuid.test(id)) return id;
  throw new AppError('not_found', 'There is no ticket with this id.');
}

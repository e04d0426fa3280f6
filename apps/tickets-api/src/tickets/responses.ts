import type { ParameterizedContext } from 'koa';
import { createRenderer } from '../formats/renderer.ts';
import { respond, respondWithPage } from '../http/respond.ts';
import { toVersionTag } from '../http/viewer-state.ts';
import { encodeCursor } from './cursor.ts';
import { type Ticket, ticketSchema } from './ticket.ts';
import type { TicketQuery } from './ticket-store.ts';
import type { ChangeOutcome, TicketPage } from './tickets.ts';

const renderer = createRenderer({ schema: ticketSchema, singular: 'ticket', plural: 'tickets' });

/** Answers with one ticket and its entity tag, or with 304. */
export function replyWithTicket(ctx: ParameterizedContext, ticket: Ticket): void {
  respond(ctx, toVersionTag(ctx, ticket), (format) => renderer.one(format, ticket));
}

/** Answers a change; tells when the ticket was like that already, or when an earlier request changed it. */
export function replyWithChange(ctx: ParameterizedContext, outcome: ChangeOutcome): void {
  if (!outcome.hasChanged) ctx.set('Keydesk-Changed', 'false');
  replyWithTicket(ctx, outcome.ticket);
}

/** Answers with a page of tickets. */
export function replyWithPage(
  ctx: ParameterizedContext,
  baseUrl: string,
  query: TicketQuery,
  { tickets, hasMore }: TicketPage,
): void {
  const last = tickets.at(-1);
  const nextCursor =
    hasMore && last ? encodeCursor({ value: last[query.sort.field], id: last.id }, query) : null;
  respondWithPage(ctx, baseUrl, {
    items: tickets,
    nextCursor,
    renderer,
    toTag: (ticket) => ticket.id + toVersionTag(ctx, ticket),
  });
}

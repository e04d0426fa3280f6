import type { ParameterizedContext } from 'koa';
import type { Highlight } from '../../helpdesk/list/highlights.ts';
import type { Total } from '../../helpdesk/list/total.ts';
import type { Ticket } from '../../helpdesk/tickets/ticket.ts';
import type { ChangeOutcome, TicketPage } from '../../helpdesk/tickets/tickets.ts';
import { createRenderer } from '../../wire/renderer.ts';
import { entityTag } from '../http/conditional-requests.ts';
import { respond, respondWithPage, setChangeHeaders } from '../http/respond.ts';
import { toPersonVersion, toVersionTag } from '../http/viewer-state.ts';
import type { TicketListRequest } from './list-query.ts';
import {
  hasEtag,
  type Included,
  includedSchema,
  type Shown,
  type TicketView,
  ticketViewSchema,
  toShownTag,
  trim,
} from './shown.ts';

/** Renders tickets for their own routes and for the feed. */
export const ticketRenderer = createRenderer({
  schema: ticketViewSchema,
  singular: 'ticket',
  plural: 'tickets',
  included: includedSchema,
});

/** Answers with one ticket and its entity tag, or with 304. */
function replyWithTicket(ctx: ParameterizedContext, ticket: Ticket): void {
  respond(ctx, toVersionTag(ctx, ticket), (format, etag) => ticketRenderer.one(format, ticket, etag));
}

/** Answers with what is wanted of one ticket, and with it. */
export function replyWithView(
  ctx: ParameterizedContext,
  ticket: Ticket,
  shown: Shown,
  included: Included | undefined,
): void {
  const view = trim(ticket, shown.fields);
  const version = toVersionTag(ctx, ticket);
  const etag = hasEtag(shown) ? entityTag(ctx, version) : undefined;
  respond(ctx, version + toShownTag(shown, included), (format) =>
    ticketRenderer.one(format, included ? { ...view, included: tagIncluded(ctx, included) } : view, etag),
  );
}

/** Answers a change; tells when the ticket was like that already, or when an earlier request changed it. */
export function replyWithChange(ctx: ParameterizedContext, outcome: ChangeOutcome): void {
  setChangeHeaders(ctx, outcome);
  replyWithTicket(ctx, outcome.ticket);
}

/** The URL of a ticket in the format of the answer. */
export function toTicketUrl(
  { state }: Pick<ParameterizedContext, 'state'>,
  baseUrl: string,
  id: string,
): string {
  return `${baseUrl}/ticket/${id}.${state.format}`;
}

/** Answers with a ticket that was added, and where it is. */
export function replyWithCreation(ctx: ParameterizedContext, baseUrl: string, outcome: ChangeOutcome): void {
  ctx.status = 201;
  ctx.set('Location', toTicketUrl(ctx, baseUrl, outcome.ticket.id));
  replyWithChange(ctx, outcome);
}

/** What a list is answered with. */
export interface ShownPage extends TicketPage {
  total?: Total | undefined;
  included?: Included | undefined;
  /** By the id of the ticket. */
  highlights?: ReadonlyMap<string, readonly Highlight[]> | undefined;
}

/** Answers with a page of tickets. */
export function replyWithPage(
  ctx: ParameterizedContext,
  baseUrl: string,
  { shown, toCursor }: TicketListRequest,
  { tickets, end, total, included, highlights }: ShownPage,
): void {
  const versions = tickets.map((ticket) => toVersionTag(ctx, ticket));
  const shownTag = toShownTag(shown, undefined);
  respondWithPage(ctx, baseUrl, {
    items: tickets.map((ticket) => withHighlights(trim(ticket, shown.fields), highlights)),
    nextCursor: end ? toCursor(end) : null,
    total,
    included: included && tagIncluded(ctx, included),
    toVersion: hasEtag(shown) ? (_ticket, i) => versions[i] ?? '' : undefined,
    renderer: ticketRenderer,
    toTag: ({ id, highlights: found }, i) =>
      `${id}${versions[i]}${shownTag}${found ? JSON.stringify(found) : ''}`,
  });
}

/** What is sent along, each with the entity tag that it has by itself. */
function tagIncluded(ctx: ParameterizedContext, { people, replies }: Included) {
  const withTag = <Resource>(resource: Resource, version: string) => ({
    ...resource,
    etag: entityTag(ctx, version),
  });
  return {
    ...(people && { people: people.map((person) => withTag(person, toPersonVersion(person))) }),
    ...(replies && { replies: replies.map((reply) => withTag(reply, String(reply.version))) }),
  };
}

function withHighlights(view: TicketView, highlights: ShownPage['highlights']): TicketView {
  return highlights ? { ...view, highlights: [...(highlights.get(view.id) ?? [])] } : view;
}

import { AppError } from '@keydesk/server';
import type { RouterContext } from '@koa/router';
import type { ParameterizedContext } from 'koa';
import type { Highlight } from '../../helpdesk/list/highlights.ts';
import type { Included } from '../../helpdesk/list/side-loads.ts';
import type { Total } from '../../helpdesk/list/total.ts';
import { ExternalIdInUse } from '../../helpdesk/tickets/external-id.ts';
import type { Ticket } from '../../helpdesk/tickets/ticket.ts';
import type { ChangeOutcome, TicketPage } from '../../helpdesk/tickets/tickets.ts';
import { createRenderer } from '../../wire/output/renderer.ts';
import { entityTag } from '../http/conditional-requests.ts';
import { respond, respondWithPage, setChangeHeaders } from '../http/respond.ts';
import { toPersonVersion, toVersionTag } from '../http/viewer-state.ts';
import type { TicketListRequest } from './list-query.ts';
import {
  hasEtag,
  includedSchema,
  type Projection,
  selectTicketFields,
  type TicketView,
  ticketViewSchema,
  toProjectionTag,
} from './projection.ts';

/** Renders tickets for their own routes and for the change feed. */
export const ticketRenderer = createRenderer({
  schema: ticketViewSchema,
  singular: 'ticket',
  plural: 'tickets',
  included: includedSchema,
});

/** Sends one ticket with its entity tag, or 304. */
function replyWithTicket(ctx: ParameterizedContext, ticket: Ticket): void {
  respond(ctx, toVersionTag(ctx, ticket), (format, etag) => ticketRenderer.one(format, ticket, etag));
}

/** Sends the projection of one ticket, with its side loads. */
export function replyWithView(
  ctx: ParameterizedContext,
  ticket: Ticket,
  shown: Projection,
  included: Included | undefined,
): void {
  const view = selectTicketFields(ticket, shown.fields);
  const version = toVersionTag(ctx, ticket);
  const etag = hasEtag(shown) ? entityTag(ctx, version) : undefined;
  respond(ctx, version + toProjectionTag(shown, included), (format) =>
    ticketRenderer.one(format, included ? { ...view, included: tagIncluded(ctx, included) } : view, etag),
  );
}

/** Sends the result of a change; headers mark a no-op or a replayed answer. */
export function replyWithChange(ctx: ParameterizedContext, outcome: ChangeOutcome): void {
  setChangeHeaders(ctx, outcome);
  replyWithTicket(ctx, outcome.ticket);
}

/** Returns the URL of a ticket in the format of the response. */
export function toTicketUrl(
  { state }: Pick<ParameterizedContext, 'state'>,
  baseUrl: string,
  id: string,
): string {
  return `${baseUrl}/ticket/${id}.${state.format}`;
}

/** Sends a created ticket with its `Location`. */
export function replyWithCreation(ctx: ParameterizedContext, baseUrl: string, outcome: ChangeOutcome): void {
  ctx.status = 201;
  ctx.set('Location', toTicketUrl(ctx, baseUrl, outcome.ticket.id));
  replyWithChange(ctx, outcome);
}

/** A page of tickets with everything that its response contains. */
export interface ProjectedPage extends TicketPage {
  total?: Total | undefined;
  included?: Included | undefined;
  /** Highlights by the id of the ticket. */
  highlights?: ReadonlyMap<string, readonly Highlight[]> | undefined;
}

/** Sends a page of tickets. */
export function replyWithPage(
  ctx: ParameterizedContext,
  baseUrl: string,
  { shown, toCursor }: TicketListRequest,
  { tickets, end, total, included, highlights }: ProjectedPage,
): void {
  const versions = tickets.map((ticket) => toVersionTag(ctx, ticket));
  const shownTag = toProjectionTag(shown, undefined);
  respondWithPage(ctx, baseUrl, {
    items: toViews(tickets, shown, highlights),
    nextCursor: end ? toCursor(end) : null,
    total,
    included: included && tagIncluded(ctx, included),
    toVersion: hasEtag(shown) ? (_ticket, i) => versions[i] ?? '' : undefined,
    renderer: ticketRenderer,
    toTag: ({ id, highlights: found }, i) =>
      `${id}${versions[i]}${shownTag}${found ? JSON.stringify(found) : ''}`,
  });
}

/** Adds to each side-loaded resource the entity tag of its own URL. */
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

/** Returns the views of tickets; whole tickets stay the same objects, whose rendered bytes are cached. */
function toViews(
  tickets: readonly Ticket[],
  { fields }: Projection,
  highlights: ProjectedPage['highlights'],
): readonly TicketView[] {
  if (!fields && !highlights) return tickets;
  return tickets.map((ticket) => {
    const view = selectTicketFields(ticket, fields);
    return highlights ? { ...view, highlights: [...(highlights.get(ticket.id) ?? [])] } : view;
  });
}

/**
 * Adds the URL of the ticket with the external id to `external_id_in_use`. Only staff can receive this error.
 *
 * @throws {AppError} `external_id_in_use`, and all other errors of `act`
 */
export async function locateHolder<Result>(
  ctx: RouterContext,
  baseUrl: string,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act();
  } catch (err) {
    if (!(err instanceof ExternalIdInUse)) throw err;
    const { id, deleted_at } = err.ticket;
    const query = deleted_at === null ? '' : '?deleted=true';
    const resource_url = toTicketUrl(ctx, baseUrl, id) + query;
    throw new AppError(err.code, err.message, { cause: err, extensions: { resource_url } });
  }
}

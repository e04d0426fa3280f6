import { hash } from 'node:crypto';
import type { ParameterizedContext } from 'koa';
import { contentTypes } from '../formats/format.ts';
import { createRenderer } from '../formats/renderer.ts';
import { entityTag, isNotModified } from '../http/conditional-requests.ts';
import { encodeCursor } from './cursor.ts';
import { type Ticket, ticketSchema } from './ticket.ts';
import type { TicketQuery } from './ticket-store.ts';
import type { TicketPage } from './tickets.ts';

const renderer = createRenderer({ schema: ticketSchema, singular: 'ticket', plural: 'tickets' });

/** Answers with one ticket and its entity tag, or with 304. */
export function replyWithTicket(ctx: ParameterizedContext, ticket: Ticket): void {
  reply(ctx, String(ticket.version), () => renderer.one(ctx.state.format, ticket));
}

/** Answers a change; tells when the ticket was like that already. */
export function replyWithChange(
  ctx: ParameterizedContext,
  { ticket, hasChanged }: { ticket: Ticket; hasChanged: boolean },
): void {
  if (!hasChanged) ctx.set('Keydesk-Changed', 'false');
  replyWithTicket(ctx, ticket);
}

/** Answers with a page of tickets, a `Link` to the next one (RFC 8288) and an entity tag over all of it. */
export function replyWithPage(
  ctx: ParameterizedContext,
  baseUrl: string,
  query: TicketQuery,
  page: TicketPage,
): void {
  const { tickets, hasMore } = page;
  const last = tickets.at(-1);
  const nextCursor =
    hasMore && last ? encodeCursor({ value: last[query.sort.field], id: last.id }, query) : null;
  if (nextCursor !== null) ctx.set('Link', `<${pageUrl(ctx, baseUrl, nextCursor)}>; rel="next"`);
  const versions = tickets.map(({ id, version }) => `${id}${version}`).join();
  reply(ctx, hash('sha1', `${nextCursor}${versions}`, 'base64url'), () =>
    renderer.many(ctx.state.format, { items: tickets, nextCursor }),
  );
}

function reply(ctx: ParameterizedContext, version: string, render: () => string): void {
  const { format } = ctx.state as { format: keyof typeof contentTypes };
  const etag = entityTag(version, format);
  ctx.set({ ETag: etag, 'Cache-Control': 'private, no-cache' });
  if ((ctx.method === 'GET' || ctx.method === 'HEAD') && isNotModified(ctx, etag)) {
    ctx.status = 304;
    return;
  }
  ctx.body = render();
  ctx.set('Content-Type', contentTypes[format]);
}

function pageUrl(ctx: ParameterizedContext, baseUrl: string, cursor: string): string {
  const parameters = new URLSearchParams(ctx.querystring);
  parameters.set('cursor', cursor);
  return `${baseUrl}${ctx.path}?${parameters}`;
}

import type { Problem, RenderProblem } from '@keydesk/http';
import type { RouterContext } from '@koa/router';
import type { Next, ParameterizedContext } from 'koa';
import {
  allowedStatusesSchema,
  type TicketStatus,
  ticketPrioritySchema,
  ticketStatusSchema,
  ticketTypeSchema,
} from '../definitions/resources.ts';
import { ticketFieldSchema } from '../fields/ticket-field.ts';
import { chooseFormat, type Format, isNegotiated, problemTypes } from '../formats/format.ts';
import { createProblemRenderer } from '../formats/problem.ts';
import { withEtag } from '../formats/with-etag.ts';
import { personSchema } from '../people/person.ts';
import { replySchema } from '../replies/reply.ts';
import { type Ticket, ticketSchema } from '../tickets/ticket.ts';
import { resourceTag } from './viewer-state.ts';

/** Strips the format suffix from the path that the routes match and sets `ctx.state.format`. */
export function chooseRepresentation(ctx: RouterContext, next: Next): Promise<unknown> {
  if (isNegotiated(ctx)) ctx.vary('Accept');
  const { format, path } = chooseFormat(ctx);
  ctx.state.format = format;
  ctx.newRouterPath = path;
  return next();
}

const allowed = allowedStatusesSchema;
const renderProblem = createProblemRenderer({ allowed, current: withEtag(ticketSchema) });
const renderReplyProblem = createProblemRenderer({ allowed, current: withEtag(replySchema) });
const renderPersonProblem = createProblemRenderer({ allowed, current: withEtag(personSchema) });
const renderFieldProblem = createProblemRenderer({ allowed, current: withEtag(ticketFieldSchema) });
const renderStatusProblem = createProblemRenderer({ allowed, current: withEtag(ticketStatusSchema) });
const renderTypeProblem = createProblemRenderer({ allowed, current: withEtag(ticketTypeSchema) });
const renderPriorityProblem = createProblemRenderer({ allowed, current: withEtag(ticketPrioritySchema) });

/** Writes a problem in the negotiated format, or in JSON if negotiation has not happened yet. */
export const renderProblemInFormat: RenderProblem = (ctx, problem) => {
  const format: Format = ctx.state.format ?? 'json';
  ctx.type = problemTypes[format];
  ctx.body = rendererOf(problem)(format, withTag(ctx, problem));
};

/** Adds the entity tag of the current resource to the problem and sets it as the ETag of the response (RFC 9110 §13.1.1). */
function withTag(ctx: ParameterizedContext, problem: Problem): Problem {
  const { current } = problem as { current?: Pick<Ticket, 'version'> & Partial<Ticket & TicketStatus> };
  if (!current) return problem;
  const etag = resourceTag(ctx, current);
  ctx.set('ETag', etag);
  return { ...problem, current: { ...current, etag } };
}

/** Returns the renderer for the resource in a problem, recognised by a member that only this kind of resource has. */
function rendererOf({ current }: Problem): typeof renderProblem {
  if (typeof current !== 'object' || current === null) return renderProblem;
  if ('ticket_id' in current) return renderReplyProblem;
  if ('addresses' in current) return renderPersonProblem;
  if ('can_become' in current) return renderStatusProblem;
  if ('rank' in current) return renderPriorityProblem;
  if ('built_in' in current) return renderTypeProblem;
  return 'key' in current ? renderFieldProblem : renderProblem;
}

import type { Problem, RenderProblem } from '@keydesk/server';
import type { RouterContext } from '@koa/router';
import type { Next, ParameterizedContext } from 'koa';
import {
  allowedStatusesSchema,
  type TicketStatus,
  ticketPrioritySchema,
  ticketStatusSchema,
  ticketTypeSchema,
} from '../../helpdesk/definitions/definition-view.ts';
import { ticketFieldSchema } from '../../helpdesk/fields/ticket-field.ts';
import { personSchema } from '../../helpdesk/people/person.ts';
import { replySchema } from '../../helpdesk/replies/reply.ts';
import { missingRightsSchema } from '../../helpdesk/roles/right.ts';
import { roleSchema } from '../../helpdesk/roles/role.ts';
import { type Ticket, ticketSchema } from '../../helpdesk/tickets/ticket.ts';
import { chooseFormat, type Format, isNegotiated, problemTypes } from '../../wire/output/format.ts';
import { createProblemRenderer } from '../../wire/output/problem.ts';
import { withEtag } from '../../wire/schema/read-only.ts';
import { resourceTag } from './viewer-state.ts';

/** Strips the format suffix from the path that the routes match and sets `ctx.state.format`. */
export function chooseRepresentation(ctx: RouterContext, next: Next): Promise<unknown> {
  if (isNegotiated(ctx)) ctx.vary('Accept');
  const { format, path } = chooseFormat(ctx);
  ctx.state.format = format;
  ctx.newRouterPath = path;
  return next();
}

const lists = { allowed: allowedStatusesSchema, missing_rights: missingRightsSchema };
const renderProblem = createProblemRenderer({ ...lists, current: withEtag(ticketSchema) });
const renderReplyProblem = createProblemRenderer({ ...lists, current: withEtag(replySchema) });
const renderPersonProblem = createProblemRenderer({ ...lists, current: withEtag(personSchema) });
const renderFieldProblem = createProblemRenderer({ ...lists, current: withEtag(ticketFieldSchema) });
const renderStatusProblem = createProblemRenderer({ ...lists, current: withEtag(ticketStatusSchema) });
const renderTypeProblem = createProblemRenderer({ ...lists, current: withEtag(ticketTypeSchema) });
const renderPriorityProblem = createProblemRenderer({ ...lists, current: withEtag(ticketPrioritySchema) });
const renderRoleProblem = createProblemRenderer({ ...lists, current: withEtag(roleSchema) });

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
  if ('optional_rights' in current) return renderRoleProblem;
  if ('addresses' in current) return renderPersonProblem;
  if ('can_become' in current) return renderStatusProblem;
  if ('rank' in current) return renderPriorityProblem;
  if ('built_in' in current) return renderTypeProblem;
  return 'key' in current ? renderFieldProblem : renderProblem;
}

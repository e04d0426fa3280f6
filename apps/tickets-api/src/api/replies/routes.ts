import type { RouterContext } from '@koa/router';
import { z } from 'zod';
import { toIdKey } from '../../helpdesk/commit/idempotency.ts';
import type { ChangeResult } from '../../helpdesk/commit/replay.ts';
import {
  parseNewReply,
  parseReplyEdit,
  type ToBody,
  toBody,
  toPatchedBody,
} from '../../helpdesk/replies/edits.ts';
import type { Replies, ReplyPath } from '../../helpdesk/replies/replies.ts';
import { type Reply, replySchema } from '../../helpdesk/replies/reply.ts';
import { readBody, readMergePatch, rejectBody } from '../../wire/input/request-body.ts';
import { createRenderer } from '../../wire/output/renderer.ts';
import { withEtag } from '../../wire/schema/read-only.ts';
import { scopes } from '../access/access.ts';
import { readPrecondition } from '../http/conditional-requests.ts';
import { createOrLinkExisting } from '../http/id-in-use.ts';
import { toRepeatableRequests } from '../http/idempotency-key.ts';
import { createParameterReader, deletedParameter, rejectParameters } from '../http/query-parameters.ts';
import { respond, setChangeHeaders } from '../http/respond.ts';
import { type Route, readId, readTicketId } from '../http/routes.ts';
import { getViewer, readViewPrecondition } from '../http/viewer-state.ts';
import { createListResponder } from '../lists/list-responder.ts';
import { createTimelineGrammar, toTimelineCursor, toTimelineQuery } from '../lists/timeline.ts';
import { findEditFaults } from '../tickets/read-ticket-body.ts';

export interface ReplyRoutesDeps {
  replies: Replies;
  /** Base of links. */
  baseUrl: string;
}

/** Query parameters of `GET /ticket/{id}/reply/{reply_id}`. */
export const replyParametersSchema = z.object({ deleted: deletedParameter });
const readReplyParameters = createParameterReader(replyParametersSchema);

/** Renders replies for their own routes and for the feed. */
export const replyRenderer = createRenderer({ schema: replySchema, singular: 'reply', plural: 'replies' });

/** Responds with pages of replies. */
export const replyResponder = createListResponder<Reply>({
  schema: withEtag(replySchema),
  singular: 'reply',
  plural: 'replies',
  identity: 'id',
  renderer: replyRenderer,
});

export const replyGrammar = createTimelineGrammar(
  { list: 'replies', operation: 'listReplies' },
  Object.keys(withEtag(replySchema).shape),
);

/** Creates the routes `/ticket/{id}/replies` and `/ticket/{id}/reply/{reply_id}`. */
export function createReplyRoutes({ replies, baseUrl }: ReplyRoutesDeps): readonly Route[] {
  async function change(ctx: RouterContext, toNext: ToBody, input: unknown): Promise<void> {
    const requests = toRepeatableRequests(ctx, input);
    respondWithChange(
      ctx,
      await replies.change(getViewer(ctx), readPath(ctx), toNext, readPrecondition(ctx), requests),
    );
  }

  async function listReplies(ctx: RouterContext) {
    await respondWithReplies(ctx, { replies, baseUrl });
  }

  async function addReply(ctx: RouterContext) {
    const input = parseNewReply(await readBody(ctx, 'reply'), findEditFaults(getViewer(ctx)));
    const [viewer, ticketId, { id = '' }] = [getViewer(ctx), readTicketId(ctx), input];
    const requests = toRepeatableRequests(ctx, input, id && toIdKey('reply', id));
    const result = await createOrLinkExisting(
      () => replies.add(viewer, ticketId, input, readViewPrecondition(ctx), requests),
      { url: baseUrl + toPath(ctx, { ticketId, id }), find: () => replies.get(viewer, { ticketId, id }) },
    );
    ctx.status = 201;
    ctx.set('Location', baseUrl + toPath(ctx, { ticketId, id: result.answer.id }));
    respondWithChange(ctx, result);
  }

  async function fetchReply(ctx: RouterContext) {
    const { deleted } = readReplyParameters(ctx.querystring);
    const path = { ...readPath(ctx), isDeleted: deleted === 'true' };
    respondWithReply(ctx, await replies.get(getViewer(ctx), path));
  }

  async function editReply(ctx: RouterContext) {
    const edit = parseReplyEdit(await readBody(ctx, 'reply'));
    await change(ctx, (current) => toBody(current, edit), edit);
  }

  async function patchReply(ctx: RouterContext) {
    const patch = await readMergePatch(ctx);
    await change(ctx, (current) => toPatchedBody(current, patch), patch);
  }

  async function deleteReply(ctx: RouterContext) {
    const requests = toRepeatableRequests(ctx, null);
    respondWithChange(
      ctx,
      await replies.remove(getViewer(ctx), readPath(ctx), readPrecondition(ctx), requests),
    );
  }

  return [
    ['GET', '/ticket/:id/replies', scopes.read, listReplies],
    ['POST', '/ticket/:id/replies', scopes.write, rejectParameters, addReply],
    ['GET', '/ticket/:id/reply/:reply_id', scopes.read, fetchReply],
    ['PUT', '/ticket/:id/reply/:reply_id', scopes.write, rejectParameters, editReply],
    ['PATCH', '/ticket/:id/reply/:reply_id', scopes.write, rejectParameters, patchReply],
    ['DELETE', '/ticket/:id/reply/:reply_id', scopes.delete, rejectParameters, rejectBody, deleteReply],
  ];
}

async function respondWithReplies(
  ctx: RouterContext,
  { replies, baseUrl }: Pick<ReplyRoutesDeps, 'replies' | 'baseUrl'>,
): Promise<void> {
  const ticketId = readTicketId(ctx);
  const request = replyGrammar.parse(ctx.querystring, { scope: ticketId });
  const query = { ...toTimelineQuery(request), ticketId };
  const { replies: items, hasMore } = await replies.list(getViewer(ctx), query);
  replyResponder.respond(ctx, baseUrl, {
    items,
    fields: request.fields,
    nextCursor: toTimelineCursor({ items, hasMore }, request),
    total: request.hasTotal ? await replies.count(getViewer(ctx), query) : undefined,
    toTag: ({ id, version }) => `${id}${version}`,
    toVersion,
  });
}

function toVersion({ version }: Reply): string {
  return String(version);
}

function readPath(ctx: RouterContext): ReplyPath {
  return { ticketId: readTicketId(ctx), id: readId(ctx, 'reply_id', 'reply') };
}

function toPath({ state }: RouterContext, { ticketId, id }: ReplyPath): string {
  return `/ticket/${ticketId}/reply/${id}.${state.format}`;
}

function respondWithReply(ctx: RouterContext, reply: Reply): void {
  respond(ctx, toVersion(reply), (format, etag) => replyRenderer.one(format, reply, etag));
}

function respondWithChange(ctx: RouterContext, result: ChangeResult<Reply>): void {
  setChangeHeaders(ctx, result);
  respondWithReply(ctx, result.answer);
}

import { requireScope } from '@keydesk/access-token';
import type { RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { countMembers } from '../../helpdesk/list/total.ts';
import type { TagStore } from '../../helpdesk/tags/tag-store.ts';
import { addedTagsSchema, addTags, removedTagsSchema, removeTags } from '../../helpdesk/tags/tags.ts';
import type { ToChanges } from '../../helpdesk/tickets/edits.ts';
import { assertStaff } from '../../helpdesk/tickets/permissions.ts';
import type { Tickets } from '../../helpdesk/tickets/tickets.ts';
import { createInputParser } from '../../wire/input.ts';
import { readBody, rejectBody } from '../../wire/request-body.ts';
import { scopes } from '../http/access.ts';
import { GuardedRouter } from '../http/guarded-router.ts';
import { toRepeatableRequests } from '../http/idempotency-key.ts';
import { readId } from '../http/path-id.ts';
import { createParameterReader, rejectParameters } from '../http/query-parameters.ts';
import { getViewer, readViewPrecondition } from '../http/viewer-state.ts';
import { toNextCursor } from '../lists/list-grammar.ts';
import { replyWithChange } from './responses.ts';
import { tagListGrammar, tagResponder, toTagQuery } from './tag-list.ts';

export interface TagRoutesDeps {
  tickets: Pick<Tickets, 'change'>;
  tags: TagStore;
  /** Base of the URLs in responses. */
  baseUrl: string;
  /** Runs before every route: it sets `ctx.state.caller` and `ctx.state.viewer`. */
  guard: Middleware;
}

const parseAddedTags = createInputParser(addedTagsSchema);
const readRemovedTags = createParameterReader(removedTagsSchema);

/** Creates the routes of `/tags` and `/ticket/{id}/tags`. */
export function createTagRoutes({ tickets, tags, baseUrl, guard }: TagRoutesDeps): GuardedRouter {
  const router = new GuardedRouter(guard);
  const write = requireScope(scopes.write);
  const ticketId = (ctx: RouterContext) => readId(ctx, 'id', 'ticket');

  async function change(ctx: RouterContext, toChanges: ToChanges, input: unknown): Promise<void> {
    const requests = toRepeatableRequests(ctx, input);
    const precondition = readViewPrecondition(ctx);
    replyWithChange(
      ctx,
      await tickets.change(getViewer(ctx), ticketId(ctx), toChanges, precondition, requests),
    );
  }

  router.get('/tags', requireScope(scopes.read), async function listTags(ctx) {
    const request = tagListGrammar.parse(ctx.querystring, {});
    const query = toTagQuery(request);
    assertStaff(getViewer(ctx), 'list tags');
    const found = await tags.list({ ...query, limit: query.limit + 1 });
    const items = found.slice(0, query.limit);
    const page = { items, hasMore: found.length > items.length };
    tagResponder.respond(ctx, baseUrl, {
      items,
      fields: request.fields,
      nextCursor: toNextCursor(page, request, (tag) => tag),
      total: request.hasTotal
        ? await countMembers((limit) => tags.count({ prefix: query.prefix, limit }))
        : undefined,
      toTag: ({ name, count }) => `${count} ${name}`,
    });
  });

  router.post('/ticket/:id/tags', write, rejectParameters, async function addTicketTags(ctx) {
    const input = parseAddedTags(await readBody(ctx, 'ticket'));
    await change(ctx, addTags(getViewer(ctx), input.tags), input);
  });

  router.delete('/ticket/:id/tags', write, rejectBody, async function removeTicketTags(ctx) {
    const { tag: removed } = readRemovedTags(ctx.querystring);
    await change(ctx, removeTags(getViewer(ctx), removed), removed);
  });

  return router;
}

import type { RouterContext } from '@koa/router';
import { countMembers } from '../../helpdesk/list/total.ts';
import type { TagStore } from '../../helpdesk/tags/tag-store.ts';
import { addedTagsSchema, addTags, removedTagsSchema, removeTags } from '../../helpdesk/tags/tags.ts';
import type { ToChanges } from '../../helpdesk/tickets/edits.ts';
import { assertStaff } from '../../helpdesk/tickets/permissions.ts';
import type { Tickets } from '../../helpdesk/tickets/tickets.ts';
import { createInputParser } from '../../wire/input.ts';
import { readBody, rejectBody } from '../../wire/request-body.ts';
import { scopes } from '../http/access.ts';
import { toRepeatableRequests } from '../http/idempotency-key.ts';
import { readTicketId } from '../http/path-id.ts';
import { createParameterReader, rejectParameters } from '../http/query-parameters.ts';
import type { Route } from '../http/routes.ts';
import { getViewer, readViewPrecondition } from '../http/viewer-state.ts';
import { toNextCursor } from '../lists/list-grammar.ts';
import { replyWithChange } from './responses.ts';
import { tagListGrammar, tagResponder, toTagQuery } from './tag-list.ts';

export interface TagRoutesDeps {
  tickets: Pick<Tickets, 'change'>;
  tags: TagStore;
  /** Base of the URLs in responses. */
  baseUrl: string;
}

const parseAddedTags = createInputParser(addedTagsSchema);
const readRemovedTags = createParameterReader(removedTagsSchema);

/** Creates the routes of `/tags` and `/ticket/{id}/tags`. */
export function createTagRoutes({ tickets, tags, baseUrl }: TagRoutesDeps): readonly Route[] {
  async function change(ctx: RouterContext, toChanges: ToChanges, input: unknown): Promise<void> {
    const requests = toRepeatableRequests(ctx, input);
    const precondition = readViewPrecondition(ctx);
    replyWithChange(
      ctx,
      await tickets.change(getViewer(ctx), readTicketId(ctx), toChanges, precondition, requests),
    );
  }

  async function listTags(ctx: RouterContext) {
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
  }

  async function addTicketTags(ctx: RouterContext) {
    const input = parseAddedTags(await readBody(ctx, 'ticket'));
    await change(ctx, addTags(getViewer(ctx), input.tags), input);
  }

  async function removeTicketTags(ctx: RouterContext) {
    const { tag: removed } = readRemovedTags(ctx.querystring);
    await change(ctx, removeTags(getViewer(ctx), removed), removed);
  }

  return [
    ['GET', '/tags', scopes.read, listTags],
    ['POST', '/ticket/:id/tags', scopes.write, rejectParameters, addTicketTags],
    ['DELETE', '/ticket/:id/tags', scopes.write, rejectBody, removeTicketTags],
  ];
}

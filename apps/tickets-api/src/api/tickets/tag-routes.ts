import type { RouterContext } from '@koa/router';
import { z } from 'zod';
import { countMembers } from '../../helpdesk/list/total.ts';
import type { TagCount, TagQuery, TagSort, TagStore } from '../../helpdesk/tags/tag-store.ts';
import { addedTagsSchema, addTags, removedTagsSchema, removeTags } from '../../helpdesk/tags/tags.ts';
import type { ToChanges } from '../../helpdesk/tickets/edits.ts';
import { assertStaff } from '../../helpdesk/tickets/permissions.ts';
import type { Tickets } from '../../helpdesk/tickets/tickets.ts';
import { createInputParser } from '../../wire/input/input.ts';
import { readBody, rejectBody } from '../../wire/input/request-body.ts';
import { scopes } from '../access/access.ts';
import { toRepeatableRequests } from '../http/idempotency-key.ts';
import { createParameterReader, rejectParameters } from '../http/query-parameters.ts';
import { type Route, readTicketId } from '../http/routes.ts';
import { getViewer, readViewPrecondition } from '../http/viewer-state.ts';
import { createListGrammar, type ListRequest, toNextCursor } from '../lists/list-grammar.ts';
import { createListResponder } from '../lists/list-responder.ts';
import { sortParameter, toSort } from '../lists/sort.ts';
import { replyWithChange } from './responses.ts';

/** A tag with its number of tickets, in every format. */
const tagCountSchema = z.strictObject({
  name: z.string().describe('Name of the tag'),
  count: z.int().min(1).describe('Number of tickets with this tag, without deleted ones'),
});

/** The query string of `GET /tags`. */
export const tagListGrammar = createListGrammar({
  owner: { list: 'tags', operation: 'listTags' },
  position: tagCountSchema,
  sort: sortParameter(
    ['count', 'name'],
    '-count',
    'ties of `-count` are broken by name, and `count` is its exact reverse',
  ),
  fields: Object.keys(tagCountSchema.shape),
  hasTotal: true,
  filterParameters: {
    q: z.string().min(1, 'must not be empty').max(64).optional().describe('Prefix of the tag'),
  },
});

/** Sends pages of tags. */
export const tagResponder = createListResponder<TagCount>({
  schema: tagCountSchema,
  singular: 'tag',
  plural: 'tags',
  identity: 'name',
});

/** Converts a list request to a query of the store. */
function toTagQuery({
  limit,
  sort,
  after,
  own,
}: ListRequest<TagCount> & { own: { q?: string | undefined } }): TagQuery {
  return { limit, sort: toSort(sort as TagSort['field']), after, prefix: own.q };
}

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

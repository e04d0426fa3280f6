import { requireScope } from '@keydesk/access-token';
import type { RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { z } from 'zod';
import { scopes } from '../access.ts';
import { createInputParser } from '../formats/input.ts';
import { createRenderer } from '../formats/renderer.ts';
import { readBody, takeNoBody } from '../formats/request-body.ts';
import { GuardedRouter } from '../http/guarded-router.ts';
import { toRepeatableRequests } from '../http/idempotency-key.ts';
import { decodeOpaque, encodeOpaque } from '../http/opaque.ts';
import { readId } from '../http/path-id.ts';
import {
  invalidCursor,
  pageParameters,
  parseParameters,
  takeNoParameters,
} from '../http/query-parameters.ts';
import { respondWithPage } from '../http/respond.ts';
import { getViewer, viewPrecondition } from '../http/viewer-state.ts';
import type { ToChanges } from './edits.ts';
import { assertStaff } from './permissions.ts';
import { replyWithChange } from './responses.ts';
import type { TagCount, TagQuery, TagStore } from './tag-store.ts';
import { addedTagsSchema, addTags, removedTagsSchema, removeTags } from './tags.ts';
import type { Tickets } from './tickets.ts';

export interface TagRoutesDeps {
  tickets: Pick<Tickets, 'change'>;
  tags: TagStore;
  /** Links are built from it. */
  baseUrl: string;
  /** What every request has to pass first: it sets `ctx.state.caller` and `ctx.state.viewer`. */
  guard: Middleware;
}

/** A tag as every format shows it. */
export const tagCountSchema = z.strictObject({
  name: z.string().describe('The tag'),
  count: z.int().min(1).describe('How many tickets have it that are not deleted'),
});

/** The query parameters of `GET /tags`. */
export const tagsParametersSchema = z.object({
  ...pageParameters,
  q: z.string().min(1, 'must not be empty').max(64).optional().describe('What the tag begins with'),
});

const renderer = createRenderer({ schema: tagCountSchema, singular: 'tag', plural: 'tags' });
const parseAddedTags = createInputParser(addedTagsSchema);
const cursorSchema = z.tuple([z.int(), z.string(), z.string()]);

/** `/tags` and `/ticket/{id}/tags`. */
export function createTagRoutes({ tickets, tags, baseUrl, guard }: TagRoutesDeps): GuardedRouter {
  const router = new GuardedRouter(guard);
  const write = requireScope(scopes.write);
  const ticketId = (ctx: RouterContext) => readId(ctx, 'id', 'ticket');

  async function change(ctx: RouterContext, toChanges: ToChanges, input: unknown): Promise<void> {
    const requests = toRepeatableRequests(ctx, input);
    const precondition = viewPrecondition(ctx);
    replyWithChange(
      ctx,
      await tickets.change(getViewer(ctx), ticketId(ctx), toChanges, precondition, requests),
    );
  }

  router.get('/tags', requireScope(scopes.read), async function listTags(ctx) {
    const query = parseTagQuery(ctx.querystring);
    assertStaff(getViewer(ctx), 'list tags');
    const found = await tags.list({ ...query, limit: query.limit + 1 });
    const items = found.slice(0, query.limit);
    const nextCursor = found.length > items.length ? encodeCursor(items, query) : null;
    const toTag = ({ name, count }: TagCount) => `${count} ${name}`;
    respondWithPage(ctx, baseUrl, { items, nextCursor, renderer, toTag });
  });

  router.post('/ticket/:id/tags', write, takeNoParameters, async function addTicketTags(ctx) {
    const input = parseAddedTags(await readBody(ctx, 'ticket'));
    await change(ctx, addTags(getViewer(ctx), input.tags), input);
  });

  router.delete('/ticket/:id/tags', write, takeNoBody, async function removeTicketTags(ctx) {
    const { tag: removed } = parseParameters(removedTagsSchema, ctx.querystring);
    await change(ctx, removeTags(getViewer(ctx), removed), removed);
  });

  return router;
}

function parseTagQuery(queryString: string): TagQuery {
  const { limit, cursor, q: prefix } = parseParameters(tagsParametersSchema, queryString);
  const query: TagQuery = { limit, ...(prefix !== undefined && { prefix }) };
  if (cursor === undefined) return query;
  const { success, data } = cursorSchema.safeParse(decodeOpaque(cursor));
  if (!success || data[2] !== (prefix ?? '')) throw invalidCursor();
  return { ...query, after: { count: data[0], name: data[1] } };
}

function encodeCursor(items: readonly TagCount[], { prefix = '' }: TagQuery): string | null {
  const last = items.at(-1);
  return last ? encodeOpaque([last.count, last.name, prefix]) : null;
}

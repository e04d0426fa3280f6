import { hash } from 'node:crypto';
import { requireScope } from '@keydesk/access-token';
import type { RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { z } from 'zod';
import { scopes } from '../access.ts';
import { GuardedRouter } from '../http/guarded-router.ts';
import { createParameterReader, limitParameter, oneOf } from '../http/query-parameters.ts';
import { respond } from '../http/respond.ts';
import { getViewer, resourceTag, toVersionTag } from '../http/viewer-state.ts';
import { listOf } from '../lists/filter-grammar.ts';
import { fieldsParameter } from '../lists/list-grammar.ts';
import { type ChangeFeed, type FeedQuery, MAX_CHANGES } from './change-feed.ts';
import {
  type FeedLine,
  type FeedPage,
  feedLineSchema,
  lineFields,
  renderFeedPage,
  type ToEtag,
} from './feed-page.ts';
import type { Follow } from './follow.ts';
import type { Waiters } from './waiters.ts';

export interface ChangeRoutesDeps {
  feed: ChangeFeed;
  follow: Follow;
  waiters: Waiters;
  /** What every request has to pass first: it sets `ctx.state.caller` and `ctx.state.viewer`. */
  guard: Middleware;
}

const MAX_WAIT_SECONDS = 60;
const seconds = `must be a whole number from 0 to ${MAX_WAIT_SECONDS}`;

export const sinceParameter = z
  .string()
  .min(1)
  .max(500)
  .optional()
  .describe(
    'The `position` of the answer before; `now` for the end of the feed. Without it the feed is read from the beginning',
  );

export const resourceParameter = listOf(oneOf(feedLineSchema.shape.type.options))
  .optional()
  .describe('Only changes of these resources, separated by commas');

/** The query parameters of `GET /changes`. */
export const changesParametersSchema = z.object({
  since: sinceParameter,
  limit: limitParameter(MAX_CHANGES),
  wait: z
    .string()
    .regex(/^\d{1,2}$/, seconds)
    .transform(Number)
    .pipe(z.int().min(0).max(MAX_WAIT_SECONDS, seconds))
    .default(0)
    .describe('For how many seconds to wait when there is nothing yet; it is answered once something comes'),
  resource: resourceParameter,
  fields: fieldsParameter(lineFields),
});

const of = { list: 'changes', operation: 'listChanges', instead: { cursor: 'since' } };
const readChangesParameters = createParameterReader(changesParametersSchema, { owner: of });

/** `/changes`, page by page. */
export function createChangeRoutes({ feed, follow, waiters, guard }: ChangeRoutesDeps): GuardedRouter {
  const router = new GuardedRouter(guard);

  router.get('/changes', requireScope(scopes.read), async function listChanges(ctx) {
    const { wait, fields, resource, ...paging } = readChangesParameters(ctx.querystring);
    const query = { ...paging, resources: resource };
    const page =
      wait === 0 || ctx.method === 'HEAD'
        ? await feed.read(getViewer(ctx), query)
        : await waitForPage(ctx, query, wait);
    const toEtag: ToEtag = (resource) => resourceTag(ctx, resource);
    respond(ctx, toTag(ctx, page) + (fields ?? ''), (format) => renderFeedPage(format, page, toEtag, fields));
  });

  /** The first page that tells something new, or an empty one when it is time to answer. */
  async function waitForPage(ctx: RouterContext, query: FeedQuery, wait: number): Promise<FeedPage> {
    const signal = waiters.admit(ctx, wait * 1000);
    let page: FeedPage | undefined;
    let known: string | undefined;
    for await (page of follow(getViewer(ctx), query, signal)) {
      known ??= page.fields_tag;
      if (page.changes.length > 0 || page.fields_tag !== known) break;
    }
    if (!page) throw new Error('A feed has at least one page.');
    return page;
  }

  return router;
}

function toTag(ctx: RouterContext, { changes, position, has_more, fields_tag }: FeedPage): string {
  const lines = changes.map((line) => toLineTag(ctx, line));
  return hash('sha1', `${position}${has_more}${fields_tag}${lines.join()}`, 'base64url');
}

function toLineTag(ctx: RouterContext, { id, deleted, ticket, reply }: FeedLine): string {
  if (deleted) return `${id}-`;
  return id + (ticket ? toVersionTag(ctx, ticket) : reply?.version);
}

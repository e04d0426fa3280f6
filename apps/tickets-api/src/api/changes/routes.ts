import { hash } from 'node:crypto';
import type { RouterContext } from '@koa/router';
import { z } from 'zod';
import { type ChangeFeed, type FeedQuery, MAX_CHANGES } from '../../helpdesk/feed/change-feed.ts';
import { type FeedItem, type FeedPage, feedItemSchema } from '../../helpdesk/feed/feed-item.ts';
import { scopes } from '../access/access.ts';
import { createParameterReader, limitParameter, oneOf } from '../http/query-parameters.ts';
import { respond } from '../http/respond.ts';
import type { Route } from '../http/routes.ts';
import { getViewer, resourceTag, toVersionTag } from '../http/viewer-state.ts';
import { listOf } from '../lists/filter-grammar.ts';
import { fieldsParameter } from '../lists/list-grammar.ts';
import { itemFields, renderFeedPage, type ToEtag } from './feed-page.ts';
import type { Follow } from './follow.ts';
import type { Waiters } from './waiters.ts';

export interface ChangeRoutesDeps {
  feed: ChangeFeed;
  follow: Follow;
  waiters: Waiters;
}

const MAX_WAIT_SECONDS = 60;
const secondsMessage = `must be a whole number from 0 to ${MAX_WAIT_SECONDS}`;

export const sinceParameter = z
  .string()
  .min(1)
  .max(500)
  .optional()
  .describe(
    'The `position` of the previous response, or `now` for the end of the feed; default: the beginning of the feed',
  );

export const resourceParameter = listOf(oneOf(feedItemSchema.shape.type.options))
  .optional()
  .describe('Return only changes of these resources, separated by commas');

/** Query parameters of `GET /changes`. */
export const changesParametersSchema = z.object({
  since: sinceParameter,
  limit: limitParameter(MAX_CHANGES),
  wait: z
    .string()
    .regex(/^\d{1,2}$/, secondsMessage)
    .transform(Number)
    .pipe(z.int().min(0).max(MAX_WAIT_SECONDS, secondsMessage))
    .default(0)
    .describe('Maximum number of seconds to wait for the next change'),
  resource: resourceParameter,
  fields: fieldsParameter(itemFields),
});

const owner = { list: 'changes', operation: 'listChanges', instead: { cursor: 'since' } };
const readChangesParameters = createParameterReader(changesParametersSchema, { owner });

/** Creates the routes of `/changes`, page by page. */
export function createChangeRoutes({ feed, follow, waiters }: ChangeRoutesDeps): readonly Route[] {
  async function listChanges(ctx: RouterContext) {
    const { wait, fields, resource, ...paging } = readChangesParameters(ctx.querystring);
    const query = { ...paging, resources: resource };
    const page =
      wait === 0 || ctx.method === 'HEAD'
        ? await feed.read(getViewer(ctx), query)
        : await waitForPage(ctx, query, wait);
    const toEtag: ToEtag = (resource) => resourceTag(ctx, resource);
    respond(ctx, toTag(ctx, page) + (fields ?? ''), (format) => renderFeedPage(format, page, toEtag, fields));
  }

  /** Returns the first page with changes or other definitions, or an empty one when the time is up. */
  async function waitForPage(ctx: RouterContext, query: FeedQuery, wait: number): Promise<FeedPage> {
    const signal = waiters.admit(ctx, wait * 1000);
    let page: FeedPage | undefined;
    let fieldsTag: string | undefined;
    for await (page of follow(getViewer(ctx), query, signal)) {
      fieldsTag ??= page.fields_tag;
      if (page.changes.length > 0 || page.fields_tag !== fieldsTag) break;
    }
    if (!page) throw new Error('A feed has at least one page.');
    return page;
  }

  return [['GET', '/changes', scopes.read, listChanges]];
}

function toTag(ctx: RouterContext, { changes, position, has_more, fields_tag }: FeedPage): string {
  const items = changes.map((item) => toItemTag(ctx, item));
  return hash('sha1', `${position}${has_more}${fields_tag}${items.join()}`, 'base64url');
}

function toItemTag(ctx: RouterContext, { id, deleted, ticket, reply }: FeedItem): string {
  if (deleted) return `${id}-`;
  return id + (ticket ? toVersionTag(ctx, ticket) : reply?.version);
}

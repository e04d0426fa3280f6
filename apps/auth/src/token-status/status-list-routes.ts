import type { Context, Middleware } from 'koa';
import type { PublishedStatusList, StatusListPublisher } from './status-list-publisher.ts';

const STATUS_LIST_TYPE = 'application/statuslist+jwt';

/** Creates the endpoint of the token status list (Token Status List §8.1, §8.2). */
export function createStatusListRoute(publisher: StatusListPublisher): Middleware {
  const findList = createListFinder(publisher);
  return async function sendStatusList(ctx) {
    allowAnyOrigin(ctx);
    if (ctx.method === 'OPTIONS') return sendNothing(ctx);
    // §8.4: past lists are not offered.
    if (ctx.query.time !== undefined) return sendError(ctx, 501, 'The parameter time is not supported.');
    if (!ctx.accepts(STATUS_LIST_TYPE)) return sendError(ctx, 406, `The only type is ${STATUS_LIST_TYPE}.`);
    const { token, etag } = await findList(ctx);
    // Every cache has to ask again: an older list may lack a revocation.
    ctx.set({ ETag: etag, 'Cache-Control': 'public, no-cache', Vary: 'Accept' });
    ctx.state.isRoutine = true;
    ctx.status = 200;
    if (isCurrent(ctx, etag)) {
      ctx.status = 304;
      return;
    }
    ctx.body = token;
    ctx.type = STATUS_LIST_TYPE;
  };
}

/** Maximum time in seconds for which a request is held. */
const MAX_WAIT_SECONDS = 10;
/** Held requests per process; further ones are answered at once. */
const MAX_WAITING = 100;
const waitPreference = /(?:^|,)\s*wait=(\d{1,6})\s*(?:[,;]|$)/i;

/**
 * Creates the function that returns the list. A client that has the current one may prefer to wait for a change
 * (RFC 7240 §4.3), so that it learns of a revocation immediately.
 */
function createListFinder(publisher: StatusListPublisher) {
  let waiting = 0;
  return async function findList(ctx: Context): Promise<PublishedStatusList> {
    const list = await publisher.current();
    const [, preferred] = waitPreference.exec(ctx.get('Prefer')) ?? [];
    if (preferred === undefined || waiting >= MAX_WAITING || !isCurrent(ctx, list.etag)) return list;
    const seconds = Math.min(Number(preferred), MAX_WAIT_SECONDS);
    ctx.set('Preference-Applied', `wait=${seconds}`);
    waiting += 1;
    try {
      return await publisher.changed(list.etag, seconds * 1000);
    } finally {
      waiting -= 1;
    }
  };
}

/** Creates the endpoint that lists the URIs of all status lists (§9.3). */
export function createStatusListsRoute(uri: string): Middleware {
  return function sendStatusLists(ctx) {
    allowAnyOrigin(ctx);
    if (ctx.method === 'OPTIONS') return sendNothing(ctx);
    ctx.body = { status_lists: [uri] };
  };
}

/**
 * Whether the client has this list (RFC 9110 §13.1.2). Not `ctx.fresh`, which always sends a body to a client that asks
 * caches to revalidate, as `fetch` of Node does with each conditional request.
 */
function isCurrent(ctx: Context, etag: string): boolean {
  const tags = ctx.get('If-None-Match').split(',');
  return tags.some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

function allowAnyOrigin(ctx: Context): void {
  ctx.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, HEAD',
    'Access-Control-Allow-Headers': 'Accept, If-None-Match, Prefer',
    'Access-Control-Expose-Headers': 'ETag, Preference-Applied',
  });
}

function sendNothing(ctx: Context): void {
  ctx.status = 204;
}

function sendError(ctx: Context, status: number, description: string): void {
  ctx.status = status;
  ctx.state.errorCode = 'invalid_request';
  ctx.body = { error: 'invalid_request', error_description: description };
}

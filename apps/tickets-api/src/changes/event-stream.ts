import { Readable } from 'node:stream';
import { requireScope } from '@keydesk/access-token';
import { toAppError, toProblem } from '@keydesk/http';
import type { RouterContext } from '@koa/router';
import type { Middleware, ParameterizedContext } from 'koa';
import { z } from 'zod';
import { scopes } from '../access.ts';
import { problemTypeBaseOf } from '../formats/problem.ts';
import { GuardedRouter } from '../http/guarded-router.ts';
import { createParameterReader, MAX_LIMIT } from '../http/query-parameters.ts';
import { getViewer, resourceTag } from '../http/viewer-state.ts';
import type { FeedQuery } from './change-feed.ts';
import { type DividedPage, type FeedLine, renderLine, type ToEtag } from './feed-page.ts';
import { type ChangeRoutesDeps, resourceParameter, sinceParameter } from './routes.ts';
import type { EndOfWait } from './waiters.ts';

/** The query parameters of the stream. */
export const streamParametersSchema = z.object({
  since: sinceParameter,
  resource: resourceParameter,
});

const of = { list: 'the stream of changes', operation: 'streamChanges', instead: { cursor: 'since' } };
const readStreamParameters = createParameterReader(streamParametersSchema, { owner: of });
const CONTENT_TYPE = 'text/event-stream';
const RETRY_MS = 1_000;
const paths: ReadonlySet<string> = new Set(['/changes', '/changes.json']);

export interface EventStreamDeps extends Omit<ChangeRoutesDeps, 'feed'> {
  baseUrl: string;
}

/**
 * `/changes` as Server-Sent Events (HTML Living Standard §9.2), for requests that accept nothing else more. It stands
 * before the choice of a format, for this is none of them: the data of its events are JSON, which the suffix may say.
 */
export function createEventStream({ follow, waiters, guard, baseUrl }: EventStreamDeps): Middleware {
  const problemTypeBase = problemTypeBaseOf(baseUrl);
  const router = new GuardedRouter(guard);

  router.get('/changes', requireScope(scopes.read), async function streamChanges(ctx) {
    const query = readQuery(ctx);
    const signal = waiters.admit(ctx);
    const pages = follow(getViewer(ctx), query, signal);
    // A position that is not good is refused by a status, before the stream begins.
    const first = await pages.next();
    ctx.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    ctx.type = CONTENT_TYPE;
    if (ctx.method === 'HEAD') {
      await pages.return(undefined);
      ctx.status = 200;
      return;
    }
    ctx.body = Readable.from(toStream(ctx, first.value, pages, { signal, problemTypeBase }), {
      highWaterMark: 1,
    });
  });

  const routes = router.routes() as unknown as Middleware;
  return function answerWithEvents(ctx, next) {
    if (!paths.has(ctx.path)) return next();
    ctx.vary('Accept');
    if (!asksForEvents(ctx)) return next();
    ctx.newRouterPath = '/changes';
    return routes(ctx, next);
  };
}

function asksForEvents(ctx: ParameterizedContext): boolean {
  if (!['GET', 'HEAD'].includes(ctx.method)) return false;
  return ctx.accepts('application/json', 'application/xml', 'text/xml', CONTENT_TYPE) === CONTENT_TYPE;
}

/** Who comes again goes on behind the last event that has arrived, wherever the URL begins. */
function readQuery(ctx: RouterContext): FeedQuery {
  const { since, resource: resources } = readStreamParameters(ctx.querystring);
  const lastEventId = ctx.get('Last-Event-ID');
  const query = { limit: MAX_LIMIT, resources };
  return lastEventId === '' ? { ...query, since } : { ...query, since: lastEventId, field: 'Last-Event-ID' };
}

/** Written as fast as the client reads, and a chunk ahead. Ends with an event that says why. */
async function* toStream(
  ctx: RouterContext,
  first: DividedPage,
  pages: AsyncGenerator<DividedPage>,
  { signal, problemTypeBase }: { signal: AbortSignal; problemTypeBase: string },
): AsyncGenerator<string> {
  try {
    yield `retry: ${RETRY_MS}\n\n${toEvents(ctx, first)}${toMilestone(first)}`;
    let known = first.fields_tag;
    for await (const page of pages) {
      const isBeat = page.changes.length === 0 && page.fields_tag === known;
      yield isBeat ? ':\n\n' : toEvents(ctx, page) + toMilestone(page);
      known = page.fields_tag;
    }
    yield toEvent('closing', JSON.stringify({ reason: signal.reason satisfies EndOfWait }));
  } catch (err) {
    const failure = toAppError(err);
    if (failure.status >= 500) ctx.state.log?.error({ err: failure.cause ?? failure }, 'the stream failed');
    yield toEvent('problem', JSON.stringify(toProblem(failure, ctx.state.requestId ?? '', problemTypeBase)));
  }
}

function toEvents(ctx: RouterContext, { changes, positionBehind }: DividedPage): string {
  const toEtag: ToEtag = (resource) => resourceTag(ctx, resource);
  const toData = (line: FeedLine) => renderLine('json', line, toEtag).join('');
  return changes.map((line, i) => toEvent('change', toData(line), positionBehind(i))).join('');
}

/** Tells that all there is has been told. */
function toMilestone({ position, has_more, fields_tag }: DividedPage): string {
  return has_more ? '' : toEvent('position', JSON.stringify({ position, fields_tag }), position);
}

/** @param data JSON */
function toEvent(event: string, data: string, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { toAppError, toProblem } from '@keydesk/server';
import type { RouterContext } from '@koa/router';
import type { Middleware, ParameterizedContext } from 'koa';
import { z } from 'zod';
import type { FeedQuery } from '../../helpdesk/feed/change-feed.ts';
import type { FeedItem, ResumablePage } from '../../helpdesk/feed/feed-item.ts';
import { toProblemTypeBase } from '../../wire/output/problem.ts';
import { scopes } from '../access/access.ts';
import { createParameterReader, MAX_LIMIT } from '../http/query-parameters.ts';
import { type CheckOf, createRouter } from '../http/routes.ts';
import { getViewer, resourceTag } from '../http/viewer-state.ts';
import { renderItem, type ToEtag } from './feed-page.ts';
import { type ChangeRoutesDeps, resourceParameter, sinceParameter } from './routes.ts';
import type { WaitResult } from './waiters.ts';

/** Query parameters of the stream. */
export const streamParametersSchema = z.object({
  since: sinceParameter,
  resource: resourceParameter,
});

const owner = { list: 'the stream of changes', operation: 'streamChanges', instead: { cursor: 'since' } };
const readStreamParameters = createParameterReader(streamParametersSchema, { owner });
const CONTENT_TYPE = 'text/event-stream';
const RETRY_MS = 1_000;
/** Koa's pipeline, log, metrics, trace and wait listen for the close of one response: more than Node's limit of 10. */
const MAX_CLOSE_LISTENERS = 20;
/** Time in which a client has to read what is left of a stream that ends. */
const REST_MS = 5_000;
const paths: ReadonlySet<string> = new Set(['/changes', '/changes.json']);

export interface EventStreamDeps extends Pick<ChangeRoutesDeps, 'follow' | 'waiters'> {
  baseUrl: string;
  /** Runs before the handler. */
  pipeline: readonly Middleware[];
  checkOf?: CheckOf | undefined;
}

/**
 * Serves `/changes` as Server-Sent Events (HTML Living Standard §9.2) if `Accept` prefers them. Runs before format
 * negotiation because events are not a format of resources: their data is always JSON, so the suffix may be `.json`.
 */
export function createEventStream({
  follow,
  waiters,
  baseUrl,
  pipeline,
  checkOf,
}: EventStreamDeps): Middleware {
  const problemTypeBase = toProblemTypeBase(baseUrl);

  async function streamChanges(ctx: RouterContext) {
    const query = readQuery(ctx);
    const signal = waiters.admit(ctx);
    const pages = follow(getViewer(ctx), query, signal);
    // Reads the first page before the stream begins, so that an invalid position gets an error status.
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
    ctx.res.setMaxListeners(MAX_CLOSE_LISTENERS);
    endUnread(ctx.res, signal);
  }

  const router = createRouter(pipeline, [['GET', '/changes', scopes.read, streamChanges]], checkOf);
  const routes = router.routes() as unknown as Middleware;
  return function serveEvents(ctx, next) {
    if (!paths.has(ctx.path)) return next();
    ctx.vary('Accept');
    if (!acceptsEvents(ctx)) return next();
    ctx.newRouterPath = '/changes';
    return routes(ctx, next);
  };
}

function acceptsEvents(ctx: ParameterizedContext): boolean {
  if (!['GET', 'HEAD'].includes(ctx.method)) return false;
  return ctx.accepts('application/json', 'application/xml', 'text/xml', CONTENT_TYPE) === CONTENT_TYPE;
}

/** Reads the query; `Last-Event-ID` of a reconnecting client overrides `since`. */
function readQuery(ctx: RouterContext): FeedQuery {
  const { since, resource: resources } = readStreamParameters(ctx.querystring);
  const lastEventId = ctx.get('Last-Event-ID');
  const query = { limit: MAX_LIMIT, resources };
  return lastEventId === '' ? { ...query, since } : { ...query, since: lastEventId, field: 'Last-Event-ID' };
}

/**
 * Closes a response some time after its signal. The stream of a client that does not read never gets to its end: it
 * would outlive its token (RFC 6750 §5.3) and keep a connection.
 */
function endUnread(res: ServerResponse, signal: AbortSignal): void {
  function allowRest() {
    if (signal.reason === 'disconnected') return;
    // A destroyed response is left alone.
    setTimeout(() => res.destroy(), REST_MS).unref();
  }
  if (signal.aborted) allowRest();
  else signal.addEventListener('abort', allowRest, { once: true });
}

/** Generates events at the speed of the client, one chunk ahead. The last event has the reason for the end. */
async function* toStream(
  ctx: RouterContext,
  first: ResumablePage,
  pages: AsyncGenerator<ResumablePage>,
  { signal, problemTypeBase }: { signal: AbortSignal; problemTypeBase: string },
): AsyncGenerator<string> {
  try {
    yield `retry: ${RETRY_MS}\n\n${toEvents(ctx, first)}${toPositionEvent(first)}`;
    let fieldsTag = first.fields_tag;
    for await (const page of pages) {
      const isHeartbeat = page.changes.length === 0 && page.fields_tag === fieldsTag;
      yield isHeartbeat ? ':\n\n' : toEvents(ctx, page) + toPositionEvent(page);
      fieldsTag = page.fields_tag;
    }
    yield toEvent('closing', JSON.stringify({ reason: signal.reason satisfies WaitResult }));
  } catch (err) {
    const failure = toAppError(err);
    if (failure.status >= 500) ctx.state.log?.error({ err: failure.cause ?? failure }, 'the stream failed');
    yield toEvent('problem', JSON.stringify(toProblem(failure, ctx.state.requestId ?? '', problemTypeBase)));
  }
}

function toEvents(ctx: RouterContext, { changes, positionAfter }: ResumablePage): string {
  const toEtag: ToEtag = (resource) => resourceTag(ctx, resource);
  const toData = (item: FeedItem) => renderItem('json', item, toEtag).join('');
  return changes.map((item, i) => toEvent('change', toData(item), positionAfter(i))).join('');
}

/** Returns the event that all current changes have been sent; empty if there are more. */
function toPositionEvent({ position, has_more, fields_tag }: ResumablePage): string {
  return has_more ? '' : toEvent('position', JSON.stringify({ position, fields_tag }), position);
}

/** Formats an event. @param data JSON */
function toEvent(event: string, data: string, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}

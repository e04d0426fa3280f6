import { randomUUID } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import { sentStatus } from './sent-status.ts';

/** Channel on which each request is published with Koa's context, so that traces can start with it. */
export const requestChannel = 'keydesk:request';
const requests = channel(requestChannel);

/** Visible ASCII characters (RFC 9110 §5.5). */
const usableRequestId = /^[\x21-\x7e]{1,128}$/;

/**
 * Assigns an id to each request, returns it as `X-Request-Id`, and writes one log line when the response ends. An
 * `X-Request-Id` of the client is logged as `client_request_id` and returned as `X-Client-Request-Id`. It never
 * replaces ours, because clients may repeat theirs. Paths are logged without the query, which may contain secrets.
 *
 * A subscriber of `requestChannel` may set `ctx.state.traceId`, which becomes `trace_id` of the line, and
 * `ctx.state.recordedTraceId` if the trace is sent to a collector.
 *
 * Sets `ctx.state.requestId` and `ctx.state.log`, a logger that adds the id to every line. Later middleware may set
 * `ctx.state.caller` (`clientId`, `subject`), `ctx.state.errorCode` and further members of the line in
 * `ctx.state.logged`. A request with `ctx.state.isRoutine` is logged at level `debug`.
 */
export function requestLog({ log }: { log: Logger }): Middleware {
  return function logRequest(ctx, next) {
    const startedAt = performance.now();
    // Later middleware may rewrite the path.
    const { path } = ctx;
    const requestId = randomUUID();
    const clientRequestId = readClientRequestId(ctx);
    // Read now, because a closed socket has no address.
    const address = ctx.ip;
    ctx.state = { requestId, clientRequestId, log: log.child({ request_id: requestId }) };
    ctx.set('X-Request-Id', requestId);
    if (clientRequestId !== undefined) ctx.set('X-Client-Request-Id', clientRequestId);
    ctx.res.once('close', () => {
      const level = ctx.state.isRoutine ? 'debug' : 'info';
      if (log.isLevelEnabled(level)) log[level](describe(ctx, { address, path, startedAt }), 'request');
    });
    return requests.runStores(ctx, next);
  };
}

function readClientRequestId(ctx: Context): string | undefined {
  const given = ctx.get('X-Request-Id');
  return usableRequestId.test(given) ? given : undefined;
}

function describe(
  ctx: Context,
  { address, path, startedAt }: { address: string; path: string; startedAt: number },
) {
  const { requestId, traceId, clientRequestId, caller, errorCode, logged } = ctx.state;
  return {
    request_id: requestId,
    trace_id: traceId,
    client_request_id: clientRequestId,
    method: ctx.method,
    path,
    status: sentStatus(ctx),
    duration_ms: Math.round((performance.now() - startedAt) * 100) / 100,
    address,
    client_id: caller?.clientId,
    subject: caller?.subject,
    error: errorCode,
    ...logged,
    aborted: ctx.res.writableFinished ? undefined : true,
  };
}

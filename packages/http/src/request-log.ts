import { randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import { sentStatus } from './sent-status.ts';
import { setHeaders } from './set-headers.ts';

/** Visible ASCII characters (RFC 9110 §5.5). */
const usableRequestId = /^[\x21-\x7e]{1,128}$/;

/**
 * Gives each request an id, returns it as `X-Request-Id` and writes one log line when the response is done. An
 * `X-Request-Id` of the client is logged beside it, as `client_request_id`, and returned as `X-Client-Request-Id`; it
 * never replaces ours, because clients may repeat theirs. Paths are logged without their query, which can hold secrets.
 *
 * Sets `ctx.state.requestId`, and `ctx.state.log`: a logger that puts the id in every line. The middleware behind
 * it may set `ctx.state.caller` (`clientId`, `subject`) and `ctx.state.errorCode`, and in `ctx.state.logged` whatever
 * else the line shall tell. What sets `ctx.state.isRoutine` is logged at the level `debug`, for it tells nothing new.
 */
export function requestLog({ log }: { log: Logger }): Middleware {
  // Few requests write a line of their own, so few need the logger. All share the getter: an object with one of its own
  // has a shape of its own too, which made the collection of garbage a quarter of what a request cost.
  const requestState = {
    requestId: '',
    get log(): Logger {
      return log.child({ request_id: this.requestId });
    },
  };

  return function logRequest(ctx, next) {
    const startedAt = performance.now();
    // Middleware may rewrite it for what is behind it.
    const { path } = ctx;
    const requestId = randomUUID();
    const clientRequestId = readClientRequestId(ctx);
    // Read now: a socket that is closed has forgotten its address.
    const address = ctx.ip;
    ctx.state = Object.assign(Object.create(requestState), { requestId, clientRequestId });
    setHeaders(ctx, { 'X-Request-Id': requestId });
    if (clientRequestId !== undefined) setHeaders(ctx, { 'X-Client-Request-Id': clientRequestId });
    ctx.res.once('close', () => {
      const level = ctx.state.isRoutine ? 'debug' : 'info';
      if (log.isLevelEnabled(level)) log[level](describe(ctx, { address, path, startedAt }), 'request');
    });
    return next();
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
  const { requestId, clientRequestId, caller, errorCode, logged } = ctx.state;
  return {
    request_id: requestId,
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

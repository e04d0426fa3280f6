import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';

const acceptableRequestId = /^[\w.-]{8,64}$/;

/**
 * Gives each request an id (the caller's `X-Request-Id` when it is a plain token, else a new UUIDv7), returns it
 * in the response and writes one log line when the response is done. Paths are logged without their query, for
 * a query can hold what must not be logged.
 */
export function requestLog({ log }: { log: Logger }): Middleware {
  return async function logRequest(ctx, next) {
    const startedAt = performance.now();
    const given = ctx.get('X-Request-Id');
    const requestId = acceptableRequestId.test(given) ? given : uuidv7();
    ctx.state.requestId = requestId;
    ctx.state.log = log.child({ request_id: requestId });
    ctx.set('X-Request-Id', requestId);
    ctx.res.once('close', () => {
      log.info(
        {
          request_id: requestId,
          method: ctx.method,
          path: ctx.path,
          status: ctx.status,
          duration_ms: Math.round((performance.now() - startedAt) * 100) / 100,
          address: ctx.ip,
          client_id: ctx.state.clientId,
          subject: ctx.state.subject,
          error: ctx.state.errorCode,
          aborted: ctx.res.writableFinished ? undefined : true,
        },
        'request',
      );
    });
    await next();
  };
}

import type { ParameterizedContext } from 'koa';

/**
 * Returns the sent status; `undefined` when the client aborted the request before a response. `ctx.status` would be
 * Koa's default 404, which was never sent.
 */
export function sentStatus(ctx: Pick<ParameterizedContext, 'headerSent' | 'status'>): number | undefined {
  return ctx.headerSent ? ctx.status : undefined;
}

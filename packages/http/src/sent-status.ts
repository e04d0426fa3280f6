import type { ParameterizedContext } from 'koa';

/**
 * The status that a request was answered with, `undefined` for one that has no answer: its caller went away before.
 * Koa's `ctx.status` is 404 then, which nobody was told.
 */
export function sentStatus(ctx: Pick<ParameterizedContext, 'headerSent' | 'status'>): number | undefined {
  return ctx.headerSent ? ctx.status : undefined;
}

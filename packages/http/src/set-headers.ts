import type { ParameterizedContext } from 'koa';

/**
 * Sets header fields of an answer that is not sent yet, for what nearly every answer has: Koa's own `ctx.set` makes lists
 * of each, which costs several times as much.
 */
export function setHeaders(
  { res }: Pick<ParameterizedContext, 'res'>,
  headers: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

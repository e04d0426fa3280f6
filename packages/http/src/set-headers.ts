import type { ParameterizedContext } from 'koa';

/**
 * Sets header fields of an answer that is not sent yet, for what nearly every answer has: Koa's own `ctx.set` makes lists
 * of each, which costs several times as much, and so would a list of these.
 */
export function setHeaders(
  { res }: Pick<ParameterizedContext, 'res'>,
  headers: Readonly<Record<string, string>>,
): void {
  for (const name in headers) res.setHeader(name, headers[name] as string);
}

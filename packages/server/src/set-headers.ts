import type { ParameterizedContext } from 'koa';

/**
 * Sets headers that nearly every response has. Koa's `ctx.set` converts each value to a list and costs several times
 * as much.
 */
export function setHeaders(
  { res }: Pick<ParameterizedContext, 'res'>,
  headers: Readonly<Record<string, string>>,
): void {
  for (const name in headers) res.setHeader(name, headers[name] as string);
}

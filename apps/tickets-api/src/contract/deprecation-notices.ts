import type { Context, Middleware } from 'koa';
import { getOperationId } from '../api/http/routes.ts';
import { type Deprecation, toDeprecationField, toSunsetField } from './deprecation.ts';
import type { Operation } from './operation.ts';

/**
 * Announces deprecations: of the requested operation, and of the parameters in its query string. The response gets
 * `Deprecation` (RFC 9745 §2) and `Sunset` (RFC 8594 §3) with the earliest dates and a `Link` to the changelog entry of each
 * (RFC 9745 §3). The log names them too, so that operators find the clients that have to change.
 */
export function announceDeprecations(operations: readonly Operation[], baseUrl: string): Middleware {
  const deprecated = operations.filter((each) => each.deprecation ?? each.deprecatedParameters);
  const byId = new Map(
    deprecated.flatMap((each) => [each.id, each.stream?.id].map((id) => [id, each] as const)),
  );
  return function announceDeprecationsOfRequest(ctx, next) {
    const operation = byId.get(getOperationId(ctx));
    const found = operation ? findDeprecations(operation, ctx.querystring) : [];
    if (found.length > 0) setDeprecationHeaders(ctx, found, `${baseUrl}/docs/changelog`);
    return next();
  };
}

interface UsedDeprecation extends Deprecation {
  /** Name in the log. */
  name: string;
}

function findDeprecations(operation: Operation, querystring: string): UsedDeprecation[] {
  const { id, deprecation, deprecatedParameters = {} } = operation;
  const sent = new URLSearchParams(querystring);
  const parameters = Object.entries(deprecatedParameters).filter(([name]) => sent.has(name));
  return [
    ...(deprecation ? [{ ...deprecation, name: id }] : []),
    ...parameters.map(([name, each]) => ({ ...each, name: `${id}?${name}` })),
  ];
}

function setDeprecationHeaders(ctx: Context, found: readonly UsedDeprecation[], changelogUrl: string): void {
  const days = found.map(({ since }) => since).toSorted();
  const [sunset] = found.flatMap((each) => each.sunset ?? []).toSorted();
  ctx.set('Deprecation', toDeprecationField({ since: days[0] ?? '' }));
  if (sunset !== undefined) ctx.set('Sunset', toSunsetField(sunset));
  for (const day of new Set(days)) {
    ctx.append('Link', `<${changelogUrl}#${day}>; rel="deprecation"; type="text/html"`);
  }
  ctx.state.logged = { ...ctx.state.logged, deprecated: found.map(({ name }) => name) };
}

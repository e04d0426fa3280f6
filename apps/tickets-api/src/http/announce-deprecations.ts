import type { Context } from 'koa';
import { type Deprecation, toDeprecationField, toSunsetField } from '../contract/deprecation.ts';
import type { Operation } from '../contract/operation.ts';
import { handlerOf } from './guarded-router.ts';

/**
 * Announces what a request uses that is deprecated, the operation or parameters of its query: by the fields `Deprecation`
 * (RFC 9745 §2) and `Sunset` (RFC 8594 §3) with the earliest dates, by a `Link` to the entry of each in the changelog
 * (RFC 9745 §3), and in the log, so that operators learn which clients have to change.
 *
 * @returns what to call once the route is matched
 */
export function createDeprecationNotices(
  operations: readonly Operation[],
  baseUrl: string,
): (ctx: Context) => void {
  const concerned = operations.filter((each) => each.deprecation ?? each.deprecatedParameters);
  const byHandler = new Map(
    concerned.flatMap((each) => [each.id, each.stream?.id].map((handler) => [handler, each] as const)),
  );
  return function announceDeprecations(ctx) {
    const operation = byHandler.get(handlerOf(ctx));
    const found = operation ? findDeprecations(operation, ctx.querystring) : [];
    if (found.length > 0) announce(ctx, found, `${baseUrl}/docs/changelog`);
  };
}

interface Found extends Deprecation {
  /** For the log. */
  name: string;
}

function findDeprecations(operation: Operation, querystring: string): Found[] {
  const { id, deprecation, deprecatedParameters = {} } = operation;
  const sent = new URLSearchParams(querystring);
  const ofParameters = Object.entries(deprecatedParameters).filter(([name]) => sent.has(name));
  return [
    ...(deprecation ? [{ ...deprecation, name: id }] : []),
    ...ofParameters.map(([name, each]) => ({ ...each, name: `${id}?${name}` })),
  ];
}

function announce(ctx: Context, found: readonly Found[], changelogUrl: string): void {
  const days = found.map(({ since }) => since).toSorted();
  const [sunset] = found.flatMap((each) => each.sunset ?? []).toSorted();
  ctx.set('Deprecation', toDeprecationField({ since: days[0] ?? '' }));
  if (sunset !== undefined) ctx.set('Sunset', toSunsetField(sunset));
  for (const day of new Set(days)) {
    ctx.append('Link', `<${changelogUrl}#${day}>; rel="deprecation"; type="text/html"`);
  }
  ctx.state.logged = { ...ctx.state.logged, deprecated: found.map(({ name }) => name) };
}

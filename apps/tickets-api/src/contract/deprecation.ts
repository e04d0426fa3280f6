import type { Context, Middleware } from 'koa';
import { getOperationId } from '../api/http/routes.ts';
import type { Operation } from './operation.ts';

/**
 * Announces deprecations: of the requested operation, and of the parameters in its query string. The response gets
 * `Deprecation` (RFC 9745 §2) and `Sunset` (RFC 8594 §3) with the earliest dates and a `Link` to the changelog entry of
 * each (RFC 9745 §3). The log names them too, so that operators find the clients that have to change.
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

/** Announcement that an operation or parameter will be removed; docs/versioning.md has the rules. */
export interface Deprecation {
  /** First UTC day of the deprecation, such as `2027-01-31`; also the heading of its entry in docs/changelog.md. */
  since: string;
  /** First UTC day on which it may be removed, if already decided. */
  sunset?: string;
  /** Sentence that names the replacement. */
  instead: string;
}

/** Returns the value of the header field `Deprecation`: a Date of structured fields (RFC 9745 §2.1, RFC 9651 §3.3.7). */
function toDeprecationField({ since }: Pick<Deprecation, 'since'>): string {
  return `@${toDate(since).getTime() / 1000}`;
}

/** Returns the value of the header field `Sunset`: an HTTP date (RFC 8594 §3). */
function toSunsetField(sunset: string): string {
  return toDate(sunset).toUTCString();
}

/**
 * Returns the announcement as text that is appended to a description.
 *
 * @throws {RangeError} when `since` or `sunset` is not a calendar date
 */
export function describeDeprecation({ since, sunset, instead }: Deprecation): string {
  const [first, end] = [since, sunset].map((day) => day && toDay(toDate(day)));
  return `Deprecated since ${first}${end === undefined ? '' : `, removed on ${end}`}. ${instead}`;
}

/** @throws {RangeError} when the text is not a calendar date */
function toDate(day: string): Date {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || toDay(date) !== day)
    throw new RangeError(`${day} is not a calendar date.`);
  return date;
}

function toDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

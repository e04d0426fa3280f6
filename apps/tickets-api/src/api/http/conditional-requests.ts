import { AppError } from '@keydesk/server';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Format } from '../../wire/output/format.ts';
import { withoutCoding } from './compression.ts';

/**
 * Builds the strong entity tag (RFC 9110 §8.8.3) of one version of a resource in one format. It includes the epoch of
 * the database, because a restored backup reuses version numbers for other contents.
 */
export function entityTag({ state }: Pick<ParameterizedContext, 'state'>, version: string): string {
  const { epoch, format = 'json' } = state as { epoch: string; format?: Format };
  return `"${version}-${epoch}-${format}"`;
}

/**
 * Returns the tag that matches `If-None-Match` (RFC 9110 §13.1.2, weak comparison) in any content coding, or
 * `undefined`. A match is answered with 304 and this tag, so that a cache can select the stored response.
 */
export function findCachedTag(ctx: ParameterizedContext, etag: string): string | undefined {
  const given = ctx.get('If-None-Match');
  if (given === '') return undefined;
  if (given.trim() === '*') return etag;
  return entityTags(given)
    .map((tag) => tag.replace(/^W\//, ''))
    .find((tag) => withoutCoding(tag) === etag);
}

/**
 * Reads `If-Match` (RFC 9110 §13.1.1, strong comparison) and `If-None-Match` (§13.1.2, weak comparison) as the
 * precondition of a change. A tag matches the same version in every format, content coding and field selection (`~…`).
 * A bare version in double quotes matches in every epoch.
 *
 * @throws {AppError} `invalid_request` for a header without an entity tag
 */
export function readPrecondition(ctx: ParameterizedContext): Precondition {
  const expected = ctx.get('If-Match');
  const excluded = ctx.get('If-None-Match').replaceAll('W/"', '"');
  return (tag, version = tag) => {
    const accepted = [`"${version}"`, `"${tag}-${ctx.state.epoch}"`];
    return (
      (expected === '' || includesTag(expected, accepted)) &&
      (excluded === '' || !includesTag(excluded, accepted))
    );
  };
}

/**
 * Whether the precondition of a request allows a change of a version.
 *
 * @param tag version as entity tags have it
 * @param version version as the resource shows it, if that differs from `tag`
 */
export type Precondition = (tag: number | string, version?: number | string) => boolean;

function includesTag(header: string, accepted: readonly string[]): boolean {
  if (header.trim() === '*') return true;
  const tags = entityTags(header);
  if (tags.length === 0) throw missingEntityTag(header);
  return tags.some((tag) => accepted.includes(tag) || accepted.includes(withoutRepresentation(tag)));
}

/** Reduces a tag to version and epoch. */
function withoutRepresentation(tag: string): string {
  return withoutCoding(tag).replace(/(?:~[0-9a-f]+)?-([0-9a-f]+)-(?:json|xml)"$/, '-$1"');
}

/** Without this error, a version without quotes would never match. */
function missingEntityTag(header: string): AppError {
  return new AppError(
    'invalid_request',
    `If-Match and If-None-Match accept *, an ETag or a version in double quotes, such as "7", but not ${JSON.stringify(header.slice(0, 100))}.`,
  );
}

function entityTags(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

const FRESH_MS = 1_000;

export interface EpochDeps {
  /** Reads the epoch of the database. */
  read: () => Promise<string>;
  now: () => Date;
}

/** Sets `ctx.state.epoch`, the epoch of the database, which every entity tag includes. Cached for a second. */
export function identifyEpoch({ read, now }: EpochDeps): Middleware {
  let cached: Promise<string> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  function current(): Promise<string> {
    const at = now().getTime();
    if (cached && Math.abs(at - readAt) < FRESH_MS) return cached;
    readAt = at;
    const reading = read();
    cached = reading;
    reading.catch(() => {
      if (cached === reading) cached = undefined;
    });
    return reading;
  }

  return async function identifyEpochOfDatabase(ctx, next) {
    ctx.state.epoch = await current();
    await next();
  };
}

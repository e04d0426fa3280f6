import { AppError } from '@keydesk/http';
import type { ParameterizedContext } from 'koa';
import type { Format } from '../formats/format.ts';
import { withoutCoding } from './content-coding.ts';

/** The strong entity tag (RFC 9110 §8.8.3) of one version of a resource in one format. */
export function entityTag(version: string, format: Format): string {
  return `"${version}-${format}"`;
}

/**
 * The tag of what the caller already has of this representation (RFC 9110 §13.1.2, weak comparison), in whatever content
 * coding; `undefined` when they have none. Otherwise the response is 304 without a body, and with that tag, so that a
 * cache knows which of its copies is meant.
 */
export function findKnownTag(ctx: ParameterizedContext, etag: string): string | undefined {
  const given = ctx.get('If-None-Match');
  if (given === '') return undefined;
  if (given.trim() === '*') return etag;
  return entityTags(given)
    .map((tag) => tag.replace(/^W\//, ''))
    .find((tag) => withoutCoding(tag) === etag);
}

/**
 * Whether `If-Match` (RFC 9110 §13.1.1, strong comparison) and `If-None-Match` (§13.1.2, weak comparison) allow a change
 * of the version. A tag that was read in one format and content coding, or of a part of the resource (`~…`), stands for
 * the same version in every other.
 *
 * @throws {AppError} `invalid_request` for what has no tag
 */
export function precondition(ctx: ParameterizedContext): (version: number | string) => boolean {
  const expected = ctx.get('If-Match');
  const known = ctx.get('If-None-Match').replaceAll('W/"', '"');
  return (version) =>
    (expected === '' || names(expected, version)) && (known === '' || !names(known, version));
}

function names(header: string, version: number | string): boolean {
  if (header.trim() === '*') return true;
  const toVersion = (tag: string) => withoutCoding(tag).replace(/(~[0-9a-f]+)?-(json|xml)"$/, '"');
  const tags = entityTags(header);
  if (tags.length === 0) throw noTags(header);
  return tags.some((tag) => toVersion(tag) === `"${version}"`);
}

/** Whoever sends a bare version would else be told, for ever, that it has changed. */
function noTags(header: string): AppError {
  return new AppError(
    'invalid_request',
    `If-Match and If-None-Match take * or what ETag had, with its double quotes, but not ${JSON.stringify(header.slice(0, 100))}.`,
  );
}

function entityTags(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

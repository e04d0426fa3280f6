import { AppError } from '@keydesk/http';
import type { ParameterizedContext } from 'koa';
import type { Format } from '../formats/format.ts';
import { withoutCoding } from './content-coding.ts';

/**
 * The strong entity tag (RFC 9110 §8.8.3) of one version of a resource, in one format and one epoch of the database: a
 * restored backup counts versions anew, for other contents.
 */
export function entityTag({ state }: Pick<ParameterizedContext, 'state'>, version: string): string {
  const { epoch, format = 'json' } = state as { epoch: string; format?: Format };
  return `"${version}-${epoch}-${format}"`;
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
 * the same version in every other. The bare version in double quotes does so in every epoch.
 *
 * @throws {AppError} `invalid_request` for what has no tag
 */
export function precondition(ctx: ParameterizedContext): IsExpected {
  const expected = ctx.get('If-Match');
  const known = ctx.get('If-None-Match').replaceAll('W/"', '"');
  return (tag, version = tag) => {
    const accepted = [`"${version}"`, `"${tag}-${ctx.state.epoch}"`];
    return (expected === '' || names(expected, accepted)) && (known === '' || !names(known, accepted));
  };
}

/**
 * Whether a version is the one that the sender of a change means.
 *
 * @param tag of the version, in entity tags
 * @param version as the resource shows it, where that is another text
 */
export type IsExpected = (tag: number | string, version?: number | string) => boolean;

function names(header: string, accepted: readonly string[]): boolean {
  if (header.trim() === '*') return true;
  const tags = entityTags(header);
  if (tags.length === 0) throw noTags(header);
  return tags.some((tag) => accepted.includes(tag) || accepted.includes(withoutRepresentation(tag)));
}

/** The version and epoch of a tag, without what it tells of a representation. */
function withoutRepresentation(tag: string): string {
  return withoutCoding(tag).replace(/(?:~[0-9a-f]+)?-([0-9a-f]+)-(?:json|xml)"$/, '-$1"');
}

/** Without it, a version that is not in quotes would always count as changed. */
function noTags(header: string): AppError {
  return new AppError(
    'invalid_request',
    `If-Match and If-None-Match take *, an ETag, or a version in double quotes, such as "7"; not ${JSON.stringify(header.slice(0, 100))}.`,
  );
}

function entityTags(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

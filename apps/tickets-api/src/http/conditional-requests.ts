import type { ParameterizedContext } from 'koa';
import type { Format } from '../formats/format.ts';

/** The strong entity tag (RFC 9110 §8.8.3) of one version of a resource in one format. */
export function entityTag(version: string, format: Format): string {
  return `"${version}-${format}"`;
}

/**
 * Whether the caller already has the representation with this tag (RFC 9110 §13.1.2, weak comparison). Then the
 * response is 304 without a body.
 */
export function isNotModified(ctx: ParameterizedContext, etag: string): boolean {
  const given = ctx.get('If-None-Match');
  if (given === '') return false;
  return given.trim() === '*' || entityTags(given).some((tag) => tag.replace(/^W\//, '') === etag);
}

/**
 * Whether `If-Match` (RFC 9110 §13.1.1, strong comparison) allows a change of the version. A tag that was read in one
 * format stands for the same version in every other.
 */
export function isMatch(ctx: ParameterizedContext, version: string): boolean {
  const given = ctx.get('If-Match');
  if (given === '' || given.trim() === '*') return true;
  return entityTags(given).some((tag) => tag.replace(/-(json|xml)"$/, '"') === `"${version}"`);
}

function entityTags(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

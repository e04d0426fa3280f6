import { AppError } from '@keydesk/errors';
import type { Context } from 'koa';
import type { Challenges, Scheme } from '../tokens/challenge.ts';

const schemeAndSpaces = /^([^ ]*) */;
/** Matches the query parameter `access_token`, literal or percent-encoded; faster than parsing the query. */
const tokenParameter = new RegExp(`(?:^|&)${[...'access_token'].map(toEncodingPattern).join('')}(?:[=&]|$)`);

/** An unverified token and the scheme that presented it. */
export interface Credentials {
  scheme: Scheme;
  token: string;
}

/** Accepted schemes by lower-case name; scheme names are case-insensitive (RFC 9110 §11.1). */
export type AcceptedSchemes = ReadonlyMap<string, Scheme>;

/**
 * Reads the token from the `Authorization` header, the only place where one is accepted.
 *
 * @throws {AppError} 401 without a token of an accepted scheme; 400 when it is sent elsewhere or more than once
 */
export function readCredentials(
  ctx: Context,
  accepted: AcceptedSchemes,
  { challenges: { any: challenge }, scope }: { challenges: Challenges; scope: string | undefined },
): Credentials {
  const [authorization = '', ...others] = ctx.req.headersDistinct.authorization ?? [];
  const ambiguity = findAmbiguity(ctx, others);
  if (ambiguity !== undefined) {
    const headers = challenge({ error: 'invalid_request', error_description: ambiguity });
    throw new AppError('invalid_request', ambiguity, { headers });
  }
  const [start = '', name = ''] = schemeAndSpaces.exec(authorization) ?? [];
  const scheme = accepted.get(name.toLowerCase());
  if (scheme !== undefined) return { scheme, token: authorization.slice(start.length) };
  // RFC 6750 §3.1: no error code for a request that presents no token of this kind.
  const missing = 'The request has no access token; send Authorization: Bearer <token>.';
  throw new AppError('invalid_token', missing, { headers: challenge(scope ? { scope } : {}) });
}

/** Returns a pattern for a character and its percent-encodings; hex digits are case-insensitive (RFC 3986 §2.1). */
function toEncodingPattern(character: string): string {
  const digits = character.charCodeAt(0).toString(16);
  return `(?:${character}|%${digits.replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
}

function findAmbiguity(ctx: Context, others: readonly string[]): string | undefined {
  if (others.length > 0) return 'The request has more than one Authorization header.';
  if (tokenParameter.test(ctx.querystring))
    return 'The access token must be sent in the Authorization header.';
  return undefined;
}

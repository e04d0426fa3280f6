import { AppError } from '@keydesk/errors';
import type { Context } from 'koa';
import type { Challenges, Scheme } from './challenge.ts';

const schemeAndSpaces = /^([^ ]*) */;
/** The parameter `access_token` of a query, each character as it is or percent-encoded: to parse the query takes longer. */
const tokenParameter = new RegExp(`(?:^|&)${[...'access_token'].map(toSpellings).join('')}(?:[=&]|$)`);

/** A token and how it was presented; nothing of it is trusted yet. */
export interface Credentials {
  scheme: Scheme;
  token: string;
}

/** The schemes that a resource server accepts, by their names in small letters (RFC 9110 §11.1: no case). */
export type AcceptedSchemes = ReadonlyMap<string, Scheme>;

/**
 * Reads the token from the `Authorization` header, the only place where one is accepted.
 *
 * @throws {AppError} 401 when there is none of an accepted scheme, 400 when it comes in another way or more than once
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
  const missing = 'The request needs an access token, as Authorization: Bearer and the token.';
  throw new AppError('invalid_token', missing, { headers: challenge(scope ? { scope } : {}) });
}

/** A pattern of one character and its percent-encodings, whose digits have no case (RFC 3986 §2.1). */
function toSpellings(character: string): string {
  const digits = character.charCodeAt(0).toString(16);
  return `(?:${character}|%${digits.replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
}

function findAmbiguity(ctx: Context, others: readonly string[]): string | undefined {
  if (others.length > 0) return 'The request has more than one Authorization header.';
  if (tokenParameter.test(ctx.querystring))
    return 'The access token must be sent in the Authorization header.';
  return undefined;
}

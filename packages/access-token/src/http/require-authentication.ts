import { AppError } from '@keydesk/errors';
import type { Middleware } from 'koa';
import { quotedStringPattern } from '../tokens/challenge.ts';
import type { AccessToken } from '../tokens/token-claims.ts';
import { getAuthenticated } from './authenticate.ts';

/** Requirements on the authentication of the user behind a token (RFC 9470 §3). */
export interface AuthenticationRequirements {
  /** Accepted authentication context classes in order of preference; empty: all. */
  acrValues: readonly string[];
  /** Seconds since the authentication, at most; `undefined`: no limit. */
  maxAgeSeconds?: number | undefined;
  now: () => Date;
}

/**
 * Rejects requests whose user was authenticated too weakly or too long ago with 401
 * `insufficient_user_authentication` (RFC 9470 §3). The challenge contains what the client has to request from the
 * authorization server. A token without `acr` or `auth_time` does not meet a requirement on it. Use this after
 * `authenticate`.
 *
 * Clients that act for themselves pass: they are their own subject (RFC 9068 §2.2), so there is no user to
 * authenticate.
 *
 * @throws {TypeError} when a class cannot appear in `acr_values`
 */
export function requireAuthentication(requirements: AuthenticationRequirements): Middleware {
  const { acrValues, maxAgeSeconds, now } = requirements;
  const parameters = toParameters(requirements);

  function findFault({ acr, authTimeSeconds }: AccessToken): string | undefined {
    if (acrValues.length > 0 && (acr === undefined || !acrValues.includes(acr)))
      return 'This request needs a stronger authentication of the user.';
    const isRecent =
      maxAgeSeconds === undefined ||
      (authTimeSeconds !== undefined && now().getTime() / 1000 <= authTimeSeconds + maxAgeSeconds);
    return isRecent ? undefined : 'This request needs a more recent authentication of the user.';
  }

  return function requireUserAuthentication(ctx, next) {
    const { caller, challenge } = getAuthenticated(ctx.state, 'requireAuthentication');
    const fault = caller.subject === caller.clientId ? undefined : findFault(caller);
    if (fault === undefined) return next();
    const error = 'insufficient_user_authentication';
    const headers = challenge({ error, error_description: fault, ...parameters });
    throw new AppError(error, fault, { headers });
  };
}

function toParameters({ acrValues, maxAgeSeconds }: AuthenticationRequirements): Record<string, string> {
  const unusable = acrValues.find((each) => !isAcrValue(each));
  if (unusable !== undefined)
    throw new TypeError(`${JSON.stringify(unusable)} is not an authentication context class.`);
  return {
    ...(acrValues.length > 0 && { acr_values: acrValues.join(' ') }),
    ...(maxAgeSeconds !== undefined && { max_age: String(maxAgeSeconds) }),
  };
}

/** Whether a class can be part of a space-separated list in a quoted string (RFC 6750 §3). */
function isAcrValue(value: string): boolean {
  return /^[^ ]+$/.test(value) && quotedStringPattern.test(value);
}

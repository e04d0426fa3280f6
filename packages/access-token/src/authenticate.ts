import { AppError } from '@keydesk/http';
import type { Context, Middleware } from 'koa';
import { type Challenge, createChallenge } from './challenge.ts';
import { InvalidTokenError, KeysUnavailableError } from './errors.ts';
import type { AccessToken } from './token-claims.ts';
import type { TokenVerifier } from './token-verifier.ts';

/** What `ctx.state` holds behind `authenticate`. */
export interface AuthenticatedState {
  caller: AccessToken;
  /** For the request log. */
  clientId: string;
  subject: string;
  challenge: Challenge;
}

export interface AuthenticateOptions {
  verifier: TokenVerifier;
  /** Where `protectedResourceMetadata` serves the metadata of this resource. */
  resourceMetadataUrl: string;
  /** Default: `api`. */
  realm?: string;
}

/**
 * Lets a request pass that presents a good access token by `Authorization: Bearer` (RFC 6750 §2.1), the only
 * way accepted. Any other is refused with the challenge of RFC 6750 §3: 400 when a token comes in another way or
 * more than once, 401 when it is missing or not good; or with 503 while that cannot be told.
 */
export function authenticate({
  verifier,
  resourceMetadataUrl,
  realm = 'api',
}: AuthenticateOptions): Middleware {
  const challenge = createChallenge({ realm, resourceMetadataUrl });
  return async function authenticateCaller(ctx, next) {
    const token = readBearerToken(ctx, challenge);
    const caller = await verify(verifier, token, challenge);
    const state: AuthenticatedState = {
      caller,
      clientId: caller.clientId,
      subject: caller.subject,
      challenge,
    };
    Object.assign(ctx.state, state);
    await next();
  };
}

function readBearerToken(ctx: Context, challenge: Challenge): string {
  const [authorization = '', ...others] = ctx.req.headersDistinct.authorization ?? [];
  if (others.length > 0) throw ambiguous('The request has more than one Authorization header.', challenge);
  if ('access_token' in ctx.query)
    throw ambiguous('The access token must be sent in the Authorization header.', challenge);
  const [scheme = '', token = ''] = authorization.split(/ +(.*)/s, 2);
  if (scheme.toLowerCase() === 'bearer') return token;
  // RFC 6750 §3.1: no error code for a request that presents no token of this kind.
  throw new AppError('invalid_token', 'The request needs an access token.', { headers: challenge() });
}

async function verify(verifier: TokenVerifier, token: string, challenge: Challenge): Promise<AccessToken> {
  try {
    const accessToken = await verifier.verify(token);
    // RFC 9449 §7.2: a token bound to a key is worth nothing to a bearer who proves no possession.
    if (accessToken.confirmation !== undefined)
      throw new InvalidTokenError('The access token is bound to a key and is no bearer token.');
    return accessToken;
  } catch (err) {
    throw toAppError(err, challenge);
  }
}

function toAppError(err: unknown, challenge: Challenge): unknown {
  if (err instanceof InvalidTokenError) {
    const headers = challenge({ error: 'invalid_token', error_description: err.message });
    return new AppError('invalid_token', err.message, { headers, cause: err });
  }
  if (err instanceof KeysUnavailableError) {
    const headers = { 'Retry-After': String(err.retryAfterSeconds) };
    return new AppError('unavailable', 'Access tokens cannot be checked right now.', { headers, cause: err });
  }
  return err;
}

function ambiguous(message: string, challenge: Challenge): AppError {
  const headers = challenge({ error: 'invalid_request', error_description: message });
  return new AppError('invalid_request', message, { headers });
}

import type { Context } from 'koa';
import type { RequestToProve } from './dpop/proof-verifier.ts';
import { InvalidProofError, InvalidTokenError } from './errors.ts';
import type { AccessToken } from './token-claims.ts';

/**
 * RFC 9449 §7.2, RFC 8705 §3: a token bound to a key is worth nothing to a bearer who proves no possession.
 *
 * @throws {InvalidTokenError} when the token is bound to anything
 */
export function refuseBoundToken({ confirmation }: AccessToken): void {
  if (confirmation !== undefined)
    throw new InvalidTokenError('The access token is bound to a key and is no bearer token.');
}

/**
 * What the sender of a bound token has to prove, and the proof that came with it.
 *
 * @throws {InvalidTokenError} unless the token is bound to a DPoP key, and to nothing else
 * @throws {InvalidProofError} unless there is exactly one proof (RFC 9449 §4.3 no. 1)
 */
export function readRequestToProve(ctx: Context, accessToken: string, verified: AccessToken): RequestToProve {
  const thumbprint = readThumbprint(verified.confirmation);
  const [proof, ...others] = ctx.req.headersDistinct.dpop ?? [];
  if (proof === undefined || others.length > 0)
    throw new InvalidProofError('The request needs one DPoP header, and no more than one.');
  // Koa lets middleware rewrite `url` and `path`; what was sent is in `originalUrl`.
  return { proof, method: ctx.method, requestTarget: ctx.originalUrl, accessToken, thumbprint };
}

/** RFC 9449 §6.1; a token that has to be confirmed in a further way, as RFC 8705 has it, is not half confirmed. */
function readThumbprint({ jkt, ...others }: AccessToken['confirmation'] = {}): string {
  if (Object.keys(others).length > 0)
    throw new InvalidTokenError('The access token is bound in a way that cannot be checked.');
  if (typeof jkt !== 'string') throw new InvalidTokenError('The access token is not bound to a DPoP key.');
  return jkt;
}

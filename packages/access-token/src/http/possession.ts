import type { Context } from 'koa';
import type { RequestToProve } from '../dpop/proof-verifier.ts';
import { InvalidProofError, InvalidTokenError } from '../jws/errors.ts';
import type { AccessToken } from '../tokens/token-claims.ts';

/**
 * Rejects key-bound tokens under the Bearer scheme (RFC 9449 §7.2, RFC 8705 §3).
 *
 * @throws {InvalidTokenError} when the token has a `cnf` claim
 */
export function rejectBoundToken({ confirmation }: AccessToken): void {
  if (confirmation !== undefined)
    throw new InvalidTokenError(
      'The access token is bound to a key; send it with Authorization: DPoP and a proof.',
    );
}

/**
 * Reads the DPoP proof of a request and the values it must match.
 *
 * @throws {InvalidTokenError} unless the token is bound to a DPoP key only
 * @throws {InvalidProofError} unless there is exactly one proof (RFC 9449 §4.3 no. 1)
 */
export function readRequestToProve(ctx: Context, accessToken: string, verified: AccessToken): RequestToProve {
  const thumbprint = readThumbprint(verified.confirmation);
  const [proof, ...others] = ctx.req.headersDistinct.dpop ?? [];
  if (proof === undefined || others.length > 0)
    throw new InvalidProofError('The request needs exactly one DPoP header.');
  // Koa middleware may rewrite `url` and `path`; `originalUrl` has the request-target as sent.
  return { proof, method: ctx.method, requestTarget: ctx.originalUrl, accessToken, thumbprint };
}

/** Returns `cnf.jkt` (RFC 9449 §6.1); rejects tokens with further confirmation methods, such as RFC 8705. */
function readThumbprint({ jkt, ...others }: AccessToken['confirmation'] = {}): string {
  if (Object.keys(others).length > 0)
    throw new InvalidTokenError('The access token is bound by an unsupported confirmation method.');
  if (typeof jkt !== 'string') throw new InvalidTokenError('The access token is not bound to a DPoP key.');
  return jkt;
}

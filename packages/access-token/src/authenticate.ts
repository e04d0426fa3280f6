import { AppError } from '@keydesk/errors';
import type { Context, Middleware } from 'koa';
import { type Challenge, createChallenges, type Scheme } from './challenge.ts';
import { type Credentials, readCredentials } from './credentials.ts';
import type { ProofVerifier } from './dpop/proof-verifier.ts';
import { ForeignTokenError, InvalidProofError, InvalidTokenError, UnavailableError } from './errors.ts';
import { readRequestToProve, refuseBoundToken } from './possession.ts';
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

/** What the middleware checks tokens by. */
export interface AuthenticateOptions {
  verifier: TokenVerifier;
  /** Lets tokens that are bound to a key pass, with their proofs. Default: only bearer tokens do. */
  proofs?: ProofVerifier | undefined;
  /** Where `protectedResourceMetadata` serves the metadata of this resource. */
  resourceMetadataUrl: string;
  /** Default: `api`. */
  realm?: string;
  /** The scope that the request needs, which a 401 names (RFC 6750 §3). Default: none is named. */
  scopeOf?: (ctx: Context) => string | undefined;
}

/**
 * Lets a request pass that presents a good access token: by `Authorization: Bearer` (RFC 6750 §2.1), or when the
 * token is bound to a key by `Authorization: DPoP` with a proof (RFC 9449 §7.1). Any other is refused with the
 * challenges of RFC 6750 §3 and RFC 9449 §7.1: 400 when a token comes in another way or more than once, 401 when it
 * is missing, not good or not proved to be the sender's; or with 503 while that cannot be told.
 */
export function authenticate(options: AuthenticateOptions): Middleware {
  const { verifier, proofs, resourceMetadataUrl, realm = 'api', scopeOf = () => undefined } = options;
  const challenges = createChallenges({ realm, resourceMetadataUrl, proofAlgorithms: proofs?.algorithms });
  const schemes = new Map<string, Scheme>([['bearer', 'Bearer']]);
  if (proofs !== undefined) schemes.set('dpop', 'DPoP');

  async function verify(ctx: Context, { scheme, token }: Credentials): Promise<AccessToken> {
    try {
      const accessToken = await verifier.verify(token);
      if (proofs !== undefined && scheme === 'DPoP')
        await proofs.verify(readRequestToProve(ctx, token, accessToken));
      else refuseBoundToken(accessToken);
      return accessToken;
    } catch (err) {
      throw toAppError(err, challenges[scheme], scopeOf(ctx));
    }
  }

  return async function authenticateCaller(ctx, next) {
    const credentials = readCredentials(ctx, schemes, { challenges, scope: scopeOf(ctx) });
    const caller = await verify(ctx, credentials);
    const state: AuthenticatedState = {
      caller,
      clientId: caller.clientId,
      subject: caller.subject,
      challenge: challenges[credentials.scheme],
    };
    Object.assign(ctx.state, state);
    await next();
  };
}

function toAppError(err: unknown, challenge: Challenge, scope: string | undefined): unknown {
  if (err instanceof InvalidTokenError) return refuseToken(err, challenge, scope);
  if (err instanceof InvalidProofError) {
    const headers = challenge({ error: 'invalid_dpop_proof', error_description: err.message });
    return new AppError('invalid_dpop_proof', err.message, { headers, cause: err });
  }
  if (err instanceof UnavailableError) {
    const headers = { 'Retry-After': String(err.retryAfterSeconds) };
    return new AppError('unavailable', 'Access tokens cannot be checked right now.', { headers, cause: err });
  }
  return err;
}

function refuseToken(cause: InvalidTokenError, challenge: Challenge, scope: string | undefined): AppError {
  const request = cause instanceof ForeignTokenError && scope;
  const message = request ? `${cause.fault}; request ${request}.` : cause.message;
  const headers = challenge({ error: 'invalid_token', error_description: message, ...(scope && { scope }) });
  return new AppError('invalid_token', message, { headers, cause });
}

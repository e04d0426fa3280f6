import { AppError } from '@keydesk/http';
import type { Context, Middleware } from 'koa';
import { type Challenge, createChallenges, type Scheme } from './challenge.ts';
import { type Credentials, readCredentials } from './credentials.ts';
import type { ProofVerifier } from './dpop/proof-verifier.ts';
import { InvalidProofError, InvalidTokenError, UnavailableError } from './errors.ts';
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
}

/**
 * Lets a request pass that presents a good access token: by `Authorization: Bearer` (RFC 6750 §2.1), or when the
 * token is bound to a key by `Authorization: DPoP` with a proof (RFC 9449 §7.1). Any other is refused with the
 * challenges of RFC 6750 §3 and RFC 9449 §7.1: 400 when a token comes in another way or more than once, 401 when it
 * is missing, not good or not proved to be the sender's; or with 503 while that cannot be told.
 */
export function authenticate(options: AuthenticateOptions): Middleware {
  const { verifier, proofs, resourceMetadataUrl, realm = 'api' } = options;
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
      throw toAppError(err, challenges[scheme]);
    }
  }

  return async function authenticateCaller(ctx, next) {
    const credentials = readCredentials(ctx, schemes, challenges);
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

function toAppError(err: unknown, challenge: Challenge): unknown {
  if (err instanceof InvalidTokenError) return refusal('invalid_token', err, challenge);
  if (err instanceof InvalidProofError) return refusal('invalid_dpop_proof', err, challenge);
  if (err instanceof UnavailableError) {
    const headers = { 'Retry-After': String(err.retryAfterSeconds) };
    return new AppError('unavailable', 'Access tokens cannot be checked right now.', { headers, cause: err });
  }
  return err;
}

function refusal(
  error: 'invalid_token' | 'invalid_dpop_proof',
  cause: Error,
  challenge: Challenge,
): AppError {
  const { message } = cause;
  return new AppError(error, message, { headers: challenge({ error, error_description: message }), cause });
}

import { AppError } from '@keydesk/errors';
import type { Context, Middleware } from 'koa';
import type { ProofVerifier } from '../dpop/proof-verifier.ts';
import { ForeignTokenError, InvalidProofError, InvalidTokenError, UnavailableError } from '../jws/errors.ts';
import { type Challenge, createChallenges, type Scheme } from '../tokens/challenge.ts';
import type { AccessToken } from '../tokens/token-claims.ts';
import type { TokenVerifier } from '../tokens/token-verifier.ts';
import { type Credentials, readCredentials } from './credentials.ts';
import { readRequestToProve, rejectBoundToken } from './possession.ts';

/** State that `authenticate` adds to `ctx.state`. */
export interface AuthenticatedState {
  caller: AccessToken;
  /** Written to the request log. */
  clientId: string;
  subject: string;
  challenge: Challenge;
}

/** Options of the `authenticate` middleware. */
export interface AuthenticateOptions {
  verifier: TokenVerifier;
  /** Verifies DPoP proofs of key-bound tokens. Default: only bearer tokens are accepted. */
  proofs?: ProofVerifier | undefined;
  /** URL at which `protectedResourceMetadata` serves the metadata of this resource. */
  resourceMetadataUrl: string;
  /** Default: `api`. */
  realm?: string;
  /** Returns the scope the request requires; a 401 includes it (RFC 6750 §3). Default: none. */
  scopeOf?: (ctx: Context) => string | undefined;
}

/**
 * Authenticates a request by its access token. Bearer tokens use `Authorization: Bearer` (RFC 6750 §2.1);
 * key-bound tokens use `Authorization: DPoP` and a proof (RFC 9449 §7.1).
 *
 * Rejects with the challenges of RFC 6750 §3 and RFC 9449 §7.1: 400 when the token is sent elsewhere or more than
 * once, 401 when token or proof is missing or invalid. Responds 503 while either cannot be verified.
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
      else rejectBoundToken(accessToken);
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

/**
 * Returns what `authenticate` added to the state of a request.
 *
 * @throws {Error} when it did not run: that is a bug, and the request must fail
 */
export function getAuthenticated(
  { caller, challenge }: Partial<AuthenticatedState>,
  check: string,
): Pick<AuthenticatedState, 'caller' | 'challenge'> {
  if (!caller || !challenge) throw new Error(`${check}() needs authenticate() before it.`);
  return { caller, challenge };
}

function toAppError(err: unknown, challenge: Challenge, scope: string | undefined): unknown {
  if (err instanceof InvalidTokenError) return toInvalidTokenResponse(err, challenge, scope);
  if (err instanceof InvalidProofError) {
    const headers = challenge({ error: 'invalid_dpop_proof', error_description: err.message });
    return new AppError('invalid_dpop_proof', err.message, { headers, cause: err });
  }
  if (err instanceof UnavailableError) {
    return new AppError('unavailable', 'Access tokens cannot be verified at the moment; retry later.', {
      retryAfterSeconds: err.retryAfterSeconds,
      cause: err,
    });
  }
  return err;
}

function toInvalidTokenResponse(
  cause: InvalidTokenError,
  challenge: Challenge,
  scope: string | undefined,
): AppError {
  const request = cause instanceof ForeignTokenError && scope;
  const message = request ? `${cause.fault}; request ${request}.` : cause.message;
  const headers = challenge({ error: 'invalid_token', error_description: message, ...(scope && { scope }) });
  return new AppError('invalid_token', message, { headers, cause });
}

import { proofAlgorithms } from '@keydesk/access-token';
import { calculateJwkThumbprint } from 'jose';
import type { Middleware } from 'koa';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { sendOAuthError } from '../responses/oauth-error.ts';
import { decodeUnverified } from './read-jwt.ts';

/** Signature algorithms of proofs, the same as in the API, so that one key works for both (RFC 9449 §5.1). */
export const dpopSigningAlgorithms = proofAlgorithms;

/**
 * Sender-constrained tokens (RFC 9449) of clients that send a proof or are registered for them. No nonce is required,
 * which §8 leaves to the server. A nonce would limit proofs made in advance, but a stolen proof is useless without a
 * code or refresh token, and every request would cost a second round trip.
 */
export const dpopFeature = { enabled: true } satisfies NonNullable<Configuration['features']>['dPoP'];

/** Maximum difference, either way, between now and the `iat` of a proof that oidc-provider accepts. */
const PROOF_WINDOW_SECONDS = 300;

/**
 * Extra retention of a `jti`. oidc-provider stores it for 300 s after use, but a proof by a clock that is 300 s ahead
 * stays valid for 600 s (RFC 9449 §11.1).
 */
export const REPLAY_RETENTION_MARGIN_SECONDS = PROOF_WINDOW_SECONDS;

/** FAPI 2.0 §5.3.2.1 no. 13: oidc-provider accepts proofs from 300 s ahead; at most 60 s are allowed. */
const MAX_AHEAD_SECONDS = 60;

const futureProof = {
  status: 400,
  error: 'invalid_dpop_proof',
  description: 'DPoP proof iat is in the future; check the clock',
};

/** Rejects DPoP proofs whose `iat` is too far in the future. oidc-provider checks everything else. */
export function rejectFutureProofs({ now }: { now: () => Date }): Middleware {
  return function rejectFutureProof(ctx, next) {
    const iat = decodeUnverified(ctx.get('DPoP'))?.claims.iat;
    return Number(iat) > now().getTime() / 1000 + MAX_AHEAD_SECONDS
      ? sendOAuthError(ctx, futureProof)
      : next();
  };
}

/**
 * Returns the thumbprint (RFC 7638) of the key in a request's DPoP proof; `undefined` without a proof. The proof is not
 * verified here: use this only for requests whose proof oidc-provider verifies.
 */
export async function proofKeyThumbprint(ctx: KoaContextWithOIDC): Promise<string | undefined> {
  const jwk = decodeUnverified(ctx.get('DPoP'))?.header.jwk;
  try {
    return jwk && (await calculateJwkThumbprint(jwk));
  } catch {
    // Not a public key; oidc-provider rejects the proof.
    return undefined;
  }
}

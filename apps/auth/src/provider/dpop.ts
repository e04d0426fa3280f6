import { proofAlgorithms } from '@keydesk/access-token';
import { calculateJwkThumbprint } from 'jose';
import type { Middleware } from 'koa';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { answerOAuthError } from './oauth-error.ts';
import { decodeUnverified } from './read-jwt.ts';

/** What proofs may be signed with: what the API takes, too, so that a key is good for both (RFC 9449 §5.1). */
export const dpopSigningAlgorithms = proofAlgorithms;

/**
 * Tokens that are bound to a key (RFC 9449), for clients that bring a proof or are registered to. No nonce is asked
 * for, which §8 leaves to the server: it would limit proofs that were made in advance, but one that is stolen opens
 * nothing without a code or a refresh token besides, and every request would cost a second round trip.
 */
export const dpopFeature = { enabled: true } satisfies NonNullable<Configuration['features']>['dPoP'];

/** How far from now, either way, the library accepts that a proof was made. */
const PROOF_WINDOW_SECONDS = 300;

/**
 * How long a `jti` has to be remembered beyond what the library asks for. It forgets a proof 300 s after its use, but
 * one that was made by a clock that is 300 s ahead is good for 600 s (RFC 9449 §11.1).
 */
export const REPLAY_MEMORY_MARGIN_SECONDS = PROOF_WINDOW_SECONDS;

/** FAPI 2.0 §5.3.2.1 no. 13: the library takes proofs of a clock that is 300 s ahead, and may take 60 s at most. */
const MAX_AHEAD_SECONDS = 60;

const proofAhead = {
  status: 400,
  error: 'invalid_dpop_proof',
  description: 'DPoP proof iat is in the future',
};

/** Refuses, at the endpoints of clients, proofs that were made in the future. The library looks at all the rest. */
export function refuseProofsAhead({ clock }: { clock: () => number }): Middleware {
  return function refuseProofAhead(ctx, next) {
    const iat = decodeUnverified(ctx.get('DPoP'))?.claims.iat;
    return Number(iat) > clock() / 1000 + MAX_AHEAD_SECONDS ? answerOAuthError(ctx, proofAhead) : next();
  };
}

/**
 * The thumbprint of the key that a request's proof names (RFC 7638); `undefined` when there is none. It proves nothing
 * by itself: whoever uses it does so for requests whose proof the library verifies.
 */
export async function namedProofKey(ctx: KoaContextWithOIDC): Promise<string | undefined> {
  const jwk = decodeUnverified(ctx.get('DPoP'))?.header.jwk;
  try {
    return jwk && (await calculateJwkThumbprint(jwk));
  } catch {
    // Not a public key; the library refuses the proof.
    return undefined;
  }
}

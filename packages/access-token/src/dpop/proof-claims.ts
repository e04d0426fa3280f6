import { hash } from 'node:crypto';
import { InvalidProofError } from '../jws/errors.ts';
import type { JsonObject } from '../jws/json-object.ts';
import { normalizeTargetUri } from './target-uri.ts';

/** Expected values for the claims of a proof; times in seconds since the epoch. */
export interface ProofExpectations {
  method: string;
  /** Normalized by `normalizeTargetUri`. */
  targetUri: string | undefined;
  accessToken: string;
  nowSeconds: number;
  maxAgeSeconds: number;
  toleranceSeconds: number;
}

/**
 * Checks the claims of a proof (RFC 9449 §4.3 no. 3, 8, 9, 11 and 12) and returns its `jti`.
 *
 * @throws {InvalidProofError} naming the first check that fails
 */
export function readProofClaims(claims: JsonObject, expected: ProofExpectations): string {
  const { htm, htu, iat, exp, nbf, ath, jti } = claims;
  const { method, targetUri, accessToken, nowSeconds, maxAgeSeconds, toleranceSeconds } = expected;
  assert(htm === method, 'The DPoP proof is for another method.');
  const provenUri = typeof htu === 'string' ? normalizeTargetUri(htu) : undefined;
  assert(provenUri !== undefined && provenUri === targetUri, 'The DPoP proof is for another URI.');
  assert(typeof iat === 'number', 'The DPoP proof has no numeric iat claim.');
  assert(iat >= nowSeconds - maxAgeSeconds, 'The DPoP proof is too old.');
  assert(iat <= nowSeconds + toleranceSeconds, 'The iat claim of the DPoP proof is in the future.');
  // RFC 7519 §4.1.4, §4.1.5: the client may limit its proof further.
  assert(exp === undefined || isAfter(exp, nowSeconds - toleranceSeconds), 'The DPoP proof has expired.');
  assert(nbf === undefined || isUpTo(nbf, nowSeconds + toleranceSeconds), 'The DPoP proof is not valid yet.');
  assert(ath === hash('sha256', accessToken, 'base64url'), 'The DPoP proof is for another access token.');
  assert(typeof jti === 'string' && jti !== '', 'The DPoP proof has no jti claim.');
  return jti;
}

function isAfter(time: unknown, seconds: number): boolean {
  return typeof time === 'number' && time > seconds;
}

function isUpTo(time: unknown, seconds: number): boolean {
  return typeof time === 'number' && time <= seconds;
}

function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvalidProofError(message);
}

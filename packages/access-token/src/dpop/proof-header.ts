import type { Algorithm } from '../algorithms.ts';
import { InvalidProofError } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { refusedParameters } from '../token-header.ts';
import { isKeyFor } from '../verification-keys.ts';

/** RFC 7518 §6: what a public key does not have, in any of the key types. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/**
 * What the header of a proof says about its signature (RFC 9449 §4.2, §4.3 no. 4, 5 and 7). This is the one place
 * where a key that the sender chose is read; it is worth something only once the access token vouches for it.
 *
 * @throws {InvalidProofError} unless it is one of a proof signed by an allowed algorithm, with a public key for it
 */
export function readProofHeader(
  header: JsonObject,
  allowed: readonly Algorithm[],
): { alg: Algorithm; jwk: JsonObject } {
  const { typ, jwk } = header;
  if (typ !== 'dpop+jwt') throw new InvalidProofError('The DPoP proof is not of the type dpop+jwt.');
  const alg = allowed.find((algorithm) => algorithm === header.alg);
  if (alg === undefined)
    throw new InvalidProofError('The DPoP proof is signed by an algorithm that is not accepted.');
  if (refusedParameters.some((name) => Object.hasOwn(header, name)))
    throw new InvalidProofError('The header of the DPoP proof has a parameter that is not accepted.');
  if (!isJsonObject(jwk) || !isKeyFor(jwk, alg))
    throw new InvalidProofError('The DPoP proof has no public key for its algorithm.');
  if (privateMembers.some((name) => Object.hasOwn(jwk, name)))
    throw new InvalidProofError('The DPoP proof has a private key, which is no secret any more.');
  return { alg, jwk };
}

import type { Algorithm } from '../jws/algorithms.ts';
import { InvalidProofError } from '../jws/errors.ts';
import { isJsonObject, type JsonObject } from '../jws/json-object.ts';
import { rejectedParameters } from '../jws/token-header.ts';
import { isKeyFor } from '../keys/verification-keys.ts';

/** Private members of all key types (RFC 7518 §6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/**
 * Reads algorithm and key from the header of a proof (RFC 9449 §4.2, §4.3 no. 4, 5 and 7). The sender chose this
 * key: trust it only after the access token's `cnf.jkt` has confirmed it.
 *
 * @throws {InvalidProofError} unless the header has an allowed algorithm and a public key for it
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
  if (rejectedParameters.some((name) => Object.hasOwn(header, name)))
    throw new InvalidProofError('The header of the DPoP proof has a parameter that is not accepted.');
  if (!isJsonObject(jwk) || !isKeyFor(jwk, alg))
    throw new InvalidProofError('The DPoP proof has no public key for its algorithm.');
  if (privateMembers.some((name) => Object.hasOwn(jwk, name)))
    throw new InvalidProofError(
      'The jwk of the DPoP proof contains a private key; send the public key only.',
    );
  return { alg, jwk };
}

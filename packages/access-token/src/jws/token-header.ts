import type { Algorithm } from './algorithms.ts';
import { InvalidTokenError } from './errors.ts';
import type { JsonObject } from './json-object.ts';

/** Rejected JWS header parameters: they refer to a key or change how the JWS is parsed. */
export const rejectedParameters = ['crit', 'b64', 'jku', 'x5u', 'x5c'];
const rejectedInTokens = [...rejectedParameters, 'jwk'];
const accessTokenTypes = ['at+jwt', 'application/at+jwt'];

/**
 * Reads algorithm and key id from the header of an access token (RFC 9068 §2.1, RFC 8725 §3.1 and §3.11).
 *
 * @throws {InvalidTokenError} unless the header has the type of an access token, an allowed algorithm and a key id
 */
export function readHeader(
  header: JsonObject,
  allowed: readonly Algorithm[],
): { alg: Algorithm; kid: string } {
  const { typ, kid } = header;
  if (typeof typ !== 'string' || !accessTokenTypes.includes(typ.toLowerCase()))
    throw new InvalidTokenError(
      'This token is not an access token (typ at+jwt); send the access token, not the ID token.',
    );
  const alg = allowed.find((algorithm) => algorithm === header.alg);
  if (alg === undefined)
    throw new InvalidTokenError('The access token is signed by an algorithm that is not accepted.');
  if (typeof kid !== 'string' || kid === '') throw new InvalidTokenError('The access token has no kid.');
  if (rejectedInTokens.some((name) => Object.hasOwn(header, name)))
    throw new InvalidTokenError('The header of the access token has a parameter that is not accepted.');
  return { alg, kid };
}

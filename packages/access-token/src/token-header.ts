import type { Algorithm } from './algorithms.ts';
import { InvalidTokenError } from './errors.ts';
import type { JsonObject } from './json-object.ts';

/** Parameters by which a JWS would point at its own key or change how it is read. None is ever followed. */
export const refusedParameters = ['crit', 'b64', 'jku', 'x5u', 'x5c'];
const refusedInTokens = [...refusedParameters, 'jwk'];
const accessTokenTypes = ['at+jwt', 'application/at+jwt'];

/**
 * What the header of an access token says about its signature (RFC 9068 §2.1, RFC 8725 §3.1 and §3.11).
 *
 * @throws {InvalidTokenError} unless it is one of an access token signed by an allowed algorithm with a named key
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
  if (typeof kid !== 'string' || kid === '') throw new InvalidTokenError('The access token names no key.');
  if (refusedInTokens.some((name) => Object.hasOwn(header, name)))
    throw new InvalidTokenError('The header of the access token has a parameter that is not accepted.');
  return { alg, kid };
}

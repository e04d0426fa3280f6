import { InvalidTokenError } from '../jws/errors.ts';
import { isJsonObject, type JsonObject } from '../jws/json-object.ts';

/** Reference to a status in a token status list (Token Status List §6.2). */
export interface StatusReference {
  readonly uri: string;
  readonly index: number;
}

/**
 * Reads the claim `status`; `undefined` if the token has none, because the issuer decides which tokens have a status.
 *
 * @throws {InvalidTokenError} when the claim is malformed, or names no status list
 */
export function readStatusReference({ status }: JsonObject): StatusReference | undefined {
  if (status === undefined) return undefined;
  const list = isJsonObject(status) ? status.status_list : undefined;
  const { uri, idx } = isJsonObject(list) ? list : {};
  if (typeof uri !== 'string' || typeof idx !== 'number' || !Number.isSafeInteger(idx) || idx < 0)
    throw new InvalidTokenError('The claim status of the access token is malformed.');
  return { uri, index: idx };
}

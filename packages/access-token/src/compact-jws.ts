import { InvalidTokenError } from './errors.ts';
import { type JsonObject, parseJsonObject } from './json-object.ts';

/** The parts of a JWS in compact serialization (RFC 7515 §7.1); nothing of it is trusted yet. */
export interface CompactJws {
  header: JsonObject;
  payload: JsonObject;
  signingInput: Buffer;
  signature: Buffer;
}

const MAX_LENGTH = 8192;

/**
 * Takes a token apart that has one spelling only: three parts of canonical base64url, header and payload JSON
 * objects in UTF-8, at most 8192 bytes.
 *
 * @throws {InvalidTokenError} for anything else
 */
export function parseCompactJws(token: string): CompactJws {
  const isTooLong = token.length > MAX_LENGTH;
  const [header = '', payload = '', signature = '', ...others] = isTooLong ? [] : token.split('.');
  const jws = {
    header: parseJsonObject(decodeCanonical(header)),
    payload: parseJsonObject(decodeCanonical(payload)),
    signingInput: Buffer.from(`${header}.${payload}`),
    signature: decodeCanonical(signature),
  };
  if (jws.header === undefined || jws.payload === undefined || others.length > 0) throw malformed();
  return { ...jws, header: jws.header, payload: jws.payload };
}

/** Node also decodes padding, white space, plain base64 and stray trailing bits: canonical is what encodes back. */
function decodeCanonical(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw malformed();
  return bytes;
}

function malformed(): InvalidTokenError {
  return new InvalidTokenError('The access token is malformed.');
}

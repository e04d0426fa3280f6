import { type CryptoKey, compactVerify, errors, type KeyObject } from 'jose';
import type { Algorithm } from './algorithms.ts';
import { type JsonObject, parseJsonObject } from './json-object.ts';

/** The header and the payload of a JWS in compact serialization (RFC 7515 §7.1); neither is trusted yet. */
export interface CompactJws {
  header: JsonObject;
  payload: JsonObject;
}

const MAX_LENGTH = 8192;

/**
 * Takes a JWS apart that has one spelling only: three parts of canonical base64url, header and payload JSON objects
 * in UTF-8, at most 8192 bytes; `undefined` for anything else. jose accepts other spellings of the same token, which
 * would each be verified and cached anew.
 */
export function parseCompactJws(text: string): CompactJws | undefined {
  const parts = text.length > MAX_LENGTH ? [] : text.split('.', 4);
  const [header, payload, signature] = parts.map(decodeCanonical);
  if (!header || !payload || !signature || parts.length > 3) return undefined;
  const jws = { header: parseJsonObject(header), payload: parseJsonObject(payload) };
  return jws.header && jws.payload && { header: jws.header, payload: jws.payload };
}

/**
 * Whether a JWS that `parseCompactJws` accepts is signed with this key by this algorithm. jose verifies the signature
 * on a thread of the pool. `compactVerify` and not `jwtVerify`: bad claims are refused before a key is fetched.
 */
export async function isSignedBy(
  jws: string,
  algorithm: Algorithm,
  key: CryptoKey | KeyObject,
): Promise<boolean> {
  try {
    await compactVerify(jws, key, { algorithms: [algorithm] });
    return true;
  } catch (err) {
    if (err instanceof errors.JOSEError) return false;
    throw err;
  }
}

/** Whether a text looks like an opaque token of an authorization server: one random word, and no JWS. */
export function isOpaque(text: string): boolean {
  return text.length <= MAX_LENGTH && /^(?!eyJ)[\w~+/-]{20,}=*$/.test(text);
}

/** Node also decodes padding, white space, plain base64 and stray trailing bits: canonical is what encodes back. */
function decodeCanonical(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}

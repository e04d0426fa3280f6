import { type CryptoKey, compactVerify, errors, type KeyObject } from 'jose';
import type { Algorithm } from './algorithms.ts';
import { type JsonObject, parseJsonObject } from './json-object.ts';

/** Unverified header and payload of a JWS in compact serialization (RFC 7515 §7.1). */
export interface CompactJws {
  header: JsonObject;
  payload: JsonObject;
}

const MAX_LENGTH = 8192;

/**
 * Parses a canonical compact JWS: three parts in canonical base64url, header and payload as JSON objects in UTF-8,
 * at most 8192 bytes by default. Returns `undefined` for anything else. jose also accepts non-canonical encodings of the same
 * token; each of them would be verified and cached again.
 */
export function parseCompactJws(text: string, maxLength = MAX_LENGTH): CompactJws | undefined {
  const parts = text.length > maxLength ? [] : text.split('.', 4);
  const [header, payload, signature] = parts.map(decodeCanonical);
  if (!header || !payload || !signature || parts.length > 3) return undefined;
  const jws = { header: parseJsonObject(header), payload: parseJsonObject(payload) };
  return jws.header && jws.payload && { header: jws.header, payload: jws.payload };
}

/**
 * Whether a JWS that `parseCompactJws` accepts has a valid signature of this key and algorithm. jose verifies it in
 * the thread pool. Uses `compactVerify`, not `jwtVerify`, because claims are checked before a key is fetched.
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

/** Whether a text looks like an opaque access token: one random word, not a JWS. */
export function isOpaque(text: string): boolean {
  return text.length <= MAX_LENGTH && /^(?!eyJ)[\w~+/-]{20,}=*$/.test(text);
}

/** Decodes only canonical base64url. Node also accepts padding, white space, plain base64 and trailing bits. */
function decodeCanonical(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}

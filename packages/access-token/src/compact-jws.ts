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
 * Takes a JWS apart that has one spelling only: three parts of canonical base64url, header and payload JSON objects
 * in UTF-8, at most 8192 bytes; `undefined` for anything else.
 */
export function parseCompactJws(text: string): CompactJws | undefined {
  const parts = text.length > MAX_LENGTH ? [] : text.split('.', 4);
  const [header, payload, signature] = parts.map(decodeCanonical);
  if (!header || !payload || !signature || parts.length > 3) return undefined;
  const jws = { header: parseJsonObject(header), payload: parseJsonObject(payload) };
  if (!jws.header || !jws.payload) return undefined;
  const signingInput = Buffer.from(parts.slice(0, 2).join('.'));
  return { header: jws.header, payload: jws.payload, signingInput, signature };
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

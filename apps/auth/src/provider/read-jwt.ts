import { JsonTextError, parseJson } from '@keydesk/http';
import { base64url, decodeJwt, decodeProtectedHeader } from 'jose';

/** Decodes a JWT without verifying it, by the decoder that oidc-provider uses; `undefined` for any other text. */
export function decodeUnverified(jwt: string) {
  if (jwt === '') return undefined;
  try {
    return { header: decodeProtectedHeader(jwt), claims: decodeJwt(jwt) };
  } catch {
    // The library reports the fault.
    return undefined;
  }
}

/** The text that each part of a JWT encodes; empty for a part that is not base64url. */
export function decodeParts(jwt: string): string[] {
  return jwt.split('.').map((part) => {
    try {
      return Buffer.from(base64url.decode(part)).toString();
    } catch {
      return '';
    }
  });
}

/**
 * The fault in the JSON of a JWT's header or claims, such as a repeated name, as the end of a sentence; `undefined` if
 * there is none. RFC 7519 §4 lets a reader refuse repeated names or take the last.
 */
export function jsonFaultOf(jwt: unknown): string | undefined {
  try {
    for (const text of decodeParts(String(jwt)).slice(0, 2)) parseJson(text);
  } catch (err) {
    if (err instanceof JsonTextError) return err.message;
    throw err;
  }
  return undefined;
}

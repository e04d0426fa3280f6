import { JsonTextError, parseJson } from '@keydesk/server';
import { base64url, decodeJwt, decodeProtectedHeader } from 'jose';

/** Decodes a JWT without verifying it, with the decoder of oidc-provider; `undefined` for any other text. */
export function decodeUnverified(jwt: string) {
  if (jwt === '') return undefined;
  try {
    return { header: decodeProtectedHeader(jwt), claims: decodeJwt(jwt) };
  } catch {
    // oidc-provider reports the fault.
    return undefined;
  }
}

/** Decodes each part of a JWT to text; a part that is not base64url becomes empty. */
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
 * Returns the fault in the JSON of a JWT's header or claims, such as a duplicate name; `undefined` for valid JSON.
 * RFC 7519 §4 lets a reader reject duplicates or use the last. The text continues a sentence.
 */
export function findJsonFault(jwt: unknown): string | undefined {
  try {
    for (const text of decodeParts(String(jwt)).slice(0, 2)) parseJson(text);
  } catch (err) {
    if (err instanceof JsonTextError) return err.message;
    throw err;
  }
  return undefined;
}

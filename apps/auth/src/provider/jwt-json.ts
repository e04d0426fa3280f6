import { JsonTextError, parseJson } from '@keydesk/http';

/**
 * The fault in the JSON of a JWT's header or claims, such as a repeated name, as the end of a sentence; `undefined` if
 * there is none. RFC 7519 §4 lets a reader refuse repeated names or take the last.
 */
export function jsonFaultOf(jwt: unknown): string | undefined {
  try {
    for (const part of String(jwt).split('.', 2)) parseJson(Buffer.from(part, 'base64url').toString());
  } catch (err) {
    if (err instanceof JsonTextError) return err.message;
    throw err;
  }
  return undefined;
}

import { isUtf8 } from 'node:buffer';

/** What a JSON object holds before anything is known about its members. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The object that UTF-8 bytes spell as JSON; `undefined` when they spell anything else. Of a name that occurs
 * twice the last counts, one of the two readings that RFC 7515 §4 and RFC 7519 §4 allow.
 */
export function parseJsonObject(bytes: Buffer): JsonObject | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

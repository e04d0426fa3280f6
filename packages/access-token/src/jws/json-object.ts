import { isUtf8 } from 'node:buffer';

/** A JSON object with unvalidated members. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Parses UTF-8 bytes as a JSON object; returns `undefined` for anything else. Of duplicate names the last one
 * applies, which RFC 7515 §4 and RFC 7519 §4 allow.
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

/** Encodes a value as text that clients return unchanged and do not interpret. */
export function encodeOpaque(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Decodes the value, which still has to be validated; `undefined` for malformed text. */
export function decodeOpaque(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

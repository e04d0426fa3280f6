/** A position as clients see it: they can give it back, and make nothing of it. */
export function encodeOpaque(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** What it stands for, as yet unchecked; `undefined` when it is none. */
export function decodeOpaque(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

import { hash } from 'node:crypto';
import { z } from 'zod';

/** Content of a cursor: the position after which its page begins, and the instant that relative times refer to. */
export interface Cursor<Position> {
  position: Position;
  at?: string | undefined;
}

/** Encodes positions of one schema as opaque cursors. A cursor is valid only for the list that issued it. */
export interface CursorCodec<Position> {
  /** @param list plain data that identifies the list: its filters and order */
  encode(cursor: Cursor<Position>, list: unknown): string;
  /** Decodes a cursor; `undefined` if this list did not issue it. */
  decode(text: string, list: unknown): Cursor<Position> | undefined;
}

export function createCursorCodec<Position>(position: z.ZodType<Position>): CursorCodec<Position> {
  const schema = z.tuple([position, z.string(), z.iso.datetime({ precision: 3 }).optional()]);
  return {
    encode: (cursor, list) =>
      encodeOpaque([cursor.position, fingerprint(list), ...(cursor.at === undefined ? [] : [cursor.at])]),
    decode(text, list) {
      const { success, data } = schema.safeParse(decodeOpaque(text));
      return success && data[1] === fingerprint(list) ? { position: data[0], at: data[2] } : undefined;
    },
  };
}

function fingerprint(list: unknown): string {
  return hash('sha1', JSON.stringify(list), 'base64url').slice(0, 8);
}

/** Encodes a value as text that clients return unchanged and do not interpret. */
function encodeOpaque(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Decodes the value, which still has to be validated; `undefined` for malformed text. */
function decodeOpaque(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

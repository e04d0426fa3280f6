import { hash } from 'node:crypto';
import { z } from 'zod';
import { decodeOpaque, encodeOpaque } from '../http/opaque.ts';

/** The content of a cursor: where the page behind it begins, and the time that relative times of its list count from. */
export interface Cursor<Place> {
  place: Place;
  at?: string | undefined;
}

/** Opaque cursors for places of one schema. A cursor continues only the list that it came from. */
export interface CursorCodec<Place> {
  /** @param list plain data that tells the list from others: its filters and order */
  encode(cursor: Cursor<Place>, list: unknown): string;
  /** Decodes; `undefined` for anything but a cursor of this list. */
  decode(text: string, list: unknown): Cursor<Place> | undefined;
}

export function createCursorCodec<Place>(place: z.ZodType<Place>): CursorCodec<Place> {
  const schema = z.tuple([place, z.string(), z.iso.datetime({ precision: 3 }).optional()]);
  return {
    encode: (cursor, list) =>
      encodeOpaque([cursor.place, fingerprint(list), ...(cursor.at === undefined ? [] : [cursor.at])]),
    decode(text, list) {
      const { success, data } = schema.safeParse(decodeOpaque(text));
      return success && data[1] === fingerprint(list) ? { place: data[0], at: data[2] } : undefined;
    },
  };
}

function fingerprint(list: unknown): string {
  return hash('sha1', JSON.stringify(list), 'base64url').slice(0, 8);
}

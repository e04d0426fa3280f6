import { z } from 'zod';
import { decodeOpaque } from '../http/opaque.ts';
import { createCursorCodec } from '../lists/cursor.ts';
import type { Reader } from './change.ts';

/** Place in a feed up to which a client has read it. */
export interface Position {
  /** The last change that the client has read. */
  after: number;
  /** The end of the feed when the client began: it was never told of anything that was gone by then. */
  begun: number;
}

const count = z.int().min(0);
const codec = createCursorCodec(z.tuple([count, count]));
const nowhere: Position = { after: 0, begun: 0 };

/** The form of positions before they were cursors. Clients may keep one for months. */
const earlierForm = z.tuple([count, count, z.string()]);

/**
 * Encodes a position as a cursor of the feed, which is good for that feed alone. It tells a client nothing but how much of
 * the feed it has read. A reader without a feed gets the beginning of the one that they will have.
 */
export function encodePosition(reader: Reader | undefined, { after, begun }: Position = nowhere): string {
  return codec.encode({ position: [after, begun] }, toList(reader));
}

/**
 * Decodes a position.
 *
 * @returns `'beginning'` where nothing was read yet, `'earlier'` for the form of an earlier version, `undefined` for what
 * is no position in the feed of this reader
 */
export function decodePosition(
  text: string,
  reader: Reader | undefined,
): Position | 'beginning' | 'earlier' | undefined {
  if (reader !== 'staff' && codec.decode(text, toList(undefined))) return 'beginning';
  const cursor = codec.decode(text, toList(reader));
  if (!cursor) return earlierForm.safeParse(decodeOpaque(text)).success ? 'earlier' : undefined;
  const [after, begun] = cursor.position;
  return { after, begun };
}

function toList(reader: Reader | undefined): unknown {
  return ['changes', reader ?? null];
}

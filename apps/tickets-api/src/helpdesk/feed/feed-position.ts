import { z } from 'zod';
import { createCursorCodec } from '../../wire/cursor.ts';
import type { Reader } from './change.ts';

/** Feed position up to which a client has read. */
export interface FeedPosition {
  /** Position of the last change that the client has read. */
  after: number;
  /** End of the feed when the client began; it has never received anything deleted before that. */
  initialEnd: number;
}

const count = z.int().min(0);
const codec = createCursorCodec(z.tuple([count, count]));
const beginning: FeedPosition = { after: 0, initialEnd: 0 };

/**
 * Encodes a position as a cursor, which is valid only for its feed and reveals only how much of it the client has read.
 * A reader without a feed gets the beginning of their future one.
 */
export function encodePosition(
  reader: Reader | undefined,
  { after, initialEnd }: FeedPosition = beginning,
): string {
  return codec.encode({ position: [after, initialEnd] }, toList(reader));
}

/** Decodes a position: `'beginning'` if nothing was read yet, `undefined` if it is not a position of this reader. */
export function decodePosition(
  text: string,
  reader: Reader | undefined,
): FeedPosition | 'beginning' | undefined {
  if (reader !== 'staff' && codec.decode(text, toList(undefined))) return 'beginning';
  const cursor = codec.decode(text, toList(reader));
  if (!cursor) return undefined;
  const [after, initialEnd] = cursor.position;
  return { after, initialEnd };
}

function toList(reader: Reader | undefined): unknown {
  return ['changes', reader ?? null];
}

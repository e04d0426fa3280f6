import { hash } from 'node:crypto';
import { z } from 'zod';
import { decodeOpaque, encodeOpaque } from '../http/opaque.ts';
import type { Reader } from './change.ts';

/** How far somebody has read a feed. */
export interface Position {
  /** The last change that they have read. */
  after: number;
  /** Where the feed ended when they began: what was gone by then they have never been told of. */
  begun: number;
}

const count = z.int().min(0);
const schema = z.tuple([count, count, z.string()]);
const nowhere: Position = { after: 0, begun: 0 };

/**
 * A position as clients see it. It tells nothing but how much of their own feed they have read, and is good for that
 * feed alone. Who has no feed yet gets the beginning of the one they will have.
 */
export function encodePosition(reader: Reader | undefined, { after, begun }: Position = nowhere): string {
  return encodeOpaque([after, begun, toPrint(reader)]);
}

/**
 * What it stands for: `'beginning'` where nothing was read yet.
 *
 * @returns `undefined` for what is no position in the feed of this reader
 */
export function decodePosition(text: string, reader: Reader | undefined): Position | 'beginning' | undefined {
  const parsed = schema.safeParse(decodeOpaque(text));
  if (!parsed.success) return undefined;
  const [after, begun, print] = parsed.data;
  if (print === toPrint(undefined) && reader !== 'staff') return 'beginning';
  return print === toPrint(reader) ? { after, begun } : undefined;
}

function toPrint(reader: Reader | undefined): string {
  return reader === undefined ? '' : hash('sha256', `feed of ${reader}`, 'base64url').slice(0, 22);
}

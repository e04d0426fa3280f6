import { hash } from 'node:crypto';
import { z } from 'zod';
import { decodeOpaque, encodeOpaque } from '../http/opaque.ts';
import type { TicketPosition, TicketQuery } from './ticket-store.ts';

const positionSchema = z.tuple([
  z.iso.datetime({ precision: 3 }).nullable(),
  z.uuid(),
  z.string(),
  z.int().optional(),
]);

/** An opaque position in one list: it only continues a list with the same filters and sort. */
export function encodeCursor({ value, id, score }: TicketPosition, query: TicketQuery): string {
  return encodeOpaque([value, id, fingerprint(query), ...(score === undefined ? [] : [score])]);
}

/** The position a cursor stands for; `undefined` when it is no cursor of this list. */
export function decodeCursor(cursor: string, query: TicketQuery): TicketPosition | undefined {
  const parsed = positionSchema.safeParse(decodeOpaque(cursor));
  if (!parsed.success) return undefined;
  const [value, id, print, score] = parsed.data;
  if (query.isRanked) {
    const isRank = value !== null && score !== undefined && print === fingerprint(query);
    return isRank ? { value, id, score } : undefined;
  }
  // Only what is not due has no sort value.
  const isPlace = value !== null || query.sort.field === 'due_at';
  return isPlace && print === fingerprint(query) ? { value, id } : undefined;
}

function fingerprint({ filter, sort, isDeleted = false, search, isRanked }: TicketQuery): string {
  const list = [filter, sort, isDeleted, ...(search ? [search, isRanked] : [])];
  return hash('sha1', JSON.stringify(list), 'base64url').slice(0, 8);
}

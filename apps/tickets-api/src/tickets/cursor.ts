import { hash } from 'node:crypto';
import { z } from 'zod';
import { decodeOpaque, encodeOpaque } from '../http/opaque.ts';
import { isWordSort, type TicketPosition, type TicketQuery, wordOrders } from './ticket-store.ts';

const positionSchema = z.tuple([
  z.iso.datetime({ precision: 3 }).nullable(),
  z.uuid(),
  z.string(),
  z.union([z.int(), z.string()]).optional(),
]);

/** An opaque position in one list: it only continues a list with the same filters and sort. */
export function encodeCursor({ value, id, score, word }: TicketPosition, query: TicketQuery): string {
  const rank = score ?? word;
  return encodeOpaque([value, id, fingerprint(query), ...(rank === undefined ? [] : [rank])]);
}

/** The position a cursor stands for; `undefined` when it is no cursor of this list. */
export function decodeCursor(cursor: string, query: TicketQuery): TicketPosition | undefined {
  const parsed = positionSchema.safeParse(decodeOpaque(cursor));
  if (!parsed.success) return undefined;
  const [value, id, print, rank] = parsed.data;
  if (print !== fingerprint(query)) return undefined;
  const { sort } = query;
  if (query.isRanked)
    return value !== null && typeof rank === 'number' ? { value, id, score: rank } : undefined;
  if (isWordSort(sort)) {
    const isWord = wordOrders[sort.field].some((word) => word === rank);
    return value !== null && isWord ? { value, id, word: String(rank) } : undefined;
  }
  // Only what is not due has no sort value.
  return value !== null || sort.field === 'due_at' ? { value, id } : undefined;
}

function fingerprint({ filter, sort, isDeleted = false, search, isRanked }: TicketQuery): string {
  const list = [filter, sort, isDeleted, ...(search ? [search, isRanked] : [])];
  return hash('sha1', JSON.stringify(list), 'base64url').slice(0, 8);
}

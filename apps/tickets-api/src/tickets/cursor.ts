import { hash } from 'node:crypto';
import { z } from 'zod';
import { decodeOpaque, encodeOpaque } from '../http/opaque.ts';
import type { TicketPosition, TicketQuery } from './ticket-store.ts';

const positionSchema = z.tuple([z.iso.datetime({ precision: 3 }), z.uuid(), z.string()]);

/** An opaque position in one list: it only continues a list with the same filters and sort. */
export function encodeCursor(position: TicketPosition, query: TicketQuery): string {
  return encodeOpaque([position.value, position.id, fingerprint(query)]);
}

/** The position a cursor stands for; `undefined` when it is no cursor of this list. */
export function decodeCursor(cursor: string, query: TicketQuery): TicketPosition | undefined {
  const parsed = positionSchema.safeParse(decodeOpaque(cursor));
  if (!parsed.success) return undefined;
  const [value, id, print] = parsed.data;
  return print === fingerprint(query) ? { value, id } : undefined;
}

function fingerprint({ filter, sort, isDeleted = false }: TicketQuery): string {
  return hash('sha1', JSON.stringify([filter, sort, isDeleted]), 'base64url').slice(0, 8);
}

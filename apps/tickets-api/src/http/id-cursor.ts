import { z } from 'zod';
import { decodeOpaque, encodeOpaque } from './opaque.ts';
import { invalidCursor, oneOf, pageParameters, parseParameters } from './query-parameters.ts';

const cursorSchema = z.tuple([z.uuid(), z.string()]);

/** The query parameters of what a ticket has, in order of creation. */
export const chronicleParametersSchema = z.object({
  ...pageParameters,
  sort: oneOf(['created_at', '-created_at']).default('created_at').describe('`-` is newest first'),
});

/** A page of what is in order of its ids. */
export interface IdQuery {
  direction: 'asc' | 'desc';
  after?: string;
  limit: number;
}

/**
 * Reads the query string of what a ticket has.
 *
 * @param list what is listed, of which ticket
 * @throws {AppError} `validation_failed`, naming every fault at once
 */
export function parseChronicleQuery(queryString: string, list: string): IdQuery {
  const { limit, cursor, sort } = parseParameters(chronicleParametersSchema, queryString);
  const query: IdQuery = { direction: sort === 'created_at' ? 'asc' : 'desc', limit };
  if (cursor === undefined) return query;
  return { ...query, after: decode(cursor, toPrint(query, list)) };
}

/** The cursor of the page behind these items; null when there is none. */
export function toIdCursor(
  { items, hasMore }: { items: readonly { id: string }[]; hasMore: boolean },
  query: IdQuery,
  list: string,
): string | null {
  const last = items.at(-1);
  if (!hasMore || !last) return null;
  return encodeOpaque([last.id, toPrint(query, list)]);
}

/** A cursor only continues the list that it came from, in the same order. */
function toPrint({ direction }: IdQuery, list: string): string {
  return `${direction} ${list}`;
}

function decode(cursor: string, print: string): string {
  const parsed = cursorSchema.safeParse(decodeOpaque(cursor));
  if (!parsed.success || parsed.data[1] !== print) throw invalidCursor();
  return parsed.data[0];
}

import { z } from 'zod';
import { writtenTimestamp } from '../formats/timestamp.ts';
import { decodeOpaque, encodeOpaque } from './opaque.ts';
import {
  deletedParameter,
  invalidCursor,
  oneOf,
  pageParameters,
  parseParameters,
} from './query-parameters.ts';

const cursorSchema = z.tuple([writtenTimestamp, z.uuid(), z.string()]);

/** The query parameters of what a ticket has, in order of creation. */
export const chronicleParametersSchema = z.object({
  ...pageParameters,
  sort: oneOf(['created_at', '-created_at']).default('created_at').describe('`-` is newest first'),
  deleted: deletedParameter,
});

/** An item of a list in order of creation. */
interface Place {
  created_at: string;
  id: string;
}

/** A page of what is in order of creation. */
export interface IdQuery {
  direction: 'asc' | 'desc';
  after?: Place;
  limit: number;
  /** Whether the ticket may be a deleted one. */
  isDeleted: boolean;
}

/**
 * Reads the query string of what a ticket has.
 *
 * @param list what is listed, of which ticket
 * @throws {AppError} `validation_failed`, naming every fault at once
 */
export function parseChronicleQuery(queryString: string, list: string): IdQuery {
  const { limit, cursor, sort, deleted } = parseParameters(chronicleParametersSchema, queryString);
  const direction = sort === 'created_at' ? 'asc' : 'desc';
  const query: IdQuery = { direction, limit, isDeleted: deleted === 'true' };
  if (cursor === undefined) return query;
  return { ...query, after: decode(cursor, toPrint(query, list)) };
}

/** The cursor of the page behind these items; null when there is none. */
export function toIdCursor(
  { items, hasMore }: { items: readonly Place[]; hasMore: boolean },
  query: IdQuery,
  list: string,
): string | null {
  const last = items.at(-1);
  if (!hasMore || !last) return null;
  return encodeOpaque([last.created_at, last.id, toPrint(query, list)]);
}

/** A cursor only continues the list that it came from, in the same order. */
function toPrint({ direction }: IdQuery, list: string): string {
  return `${direction} ${list}`;
}

function decode(cursor: string, print: string): Place {
  const parsed = cursorSchema.safeParse(decodeOpaque(cursor));
  if (!parsed.success || parsed.data[2] !== print) throw invalidCursor();
  const [created_at, id] = parsed.data;
  return { created_at, id };
}

import { z } from 'zod';
import { writtenTimestamp } from '../formats/timestamp.ts';
import { deletedParameter } from '../http/query-parameters.ts';
import type { ParameterOwner } from '../http/unknown-parameter.ts';
import { createListGrammar, type ListRequest, toNextCursor } from './list-grammar.ts';
import { byTime, sortParameter, toSort } from './sort.ts';

/** A place in a list in order of creation. */
const placeSchema = z.strictObject({ created_at: writtenTimestamp, id: z.uuid() });
type Place = z.output<typeof placeSchema>;

/** A page of what a ticket has, in order of creation. */
export interface ChronicleQuery {
  direction: 'asc' | 'desc';
  after?: Place;
  limit: number;
  /** Whether the ticket may be a deleted one. */
  isDeleted: boolean;
}

/** The grammar of what a ticket has, in order of creation. @param fields those that can be selected */
export function createChronicleGrammar(of: ParameterOwner, fields: readonly string[]) {
  return createListGrammar({
    of,
    place: placeSchema,
    sort: sortParameter(['created_at'], 'created_at', byTime),
    fields,
    hasTotal: true,
    shown: { deleted: deletedParameter },
  });
}

/** The page that a request asks for. */
export function toChronicleQuery({
  limit,
  sort,
  after,
  own,
}: ListRequest<Place> & { own: { deleted: 'true' | 'false' } }): ChronicleQuery {
  const { direction } = toSort(sort as 'created_at');
  return { direction, limit, isDeleted: own.deleted === 'true', ...(after && { after }) };
}

/** The cursor of the page behind these items; null when there is none. */
export function toChronicleCursor(
  page: { items: readonly Place[]; hasMore: boolean },
  request: Pick<ListRequest<Place>, 'toCursor'>,
): string | null {
  return toNextCursor(page, request, ({ created_at, id }) => ({ created_at, id }));
}

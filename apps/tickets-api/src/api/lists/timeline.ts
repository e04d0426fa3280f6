import { z } from 'zod';
import { outputTimestamp } from '../../wire/schema/scalars.ts';
import { deletedParameter } from '../http/query-parameters.ts';
import type { ParameterOwner } from '../http/unknown-parameter.ts';
import { createListGrammar, type ListRequest, toNextCursor } from './list-grammar.ts';
import { byTime, sortParameter, toSort } from './sort.ts';

/** Position in a list ordered by creation time. */
const timelinePositionSchema = z.strictObject({ created_at: outputTimestamp, id: z.uuid() });
type TimelinePosition = z.output<typeof timelinePositionSchema>;

/** Query for a page of a ticket's replies or events, ordered by creation time. */
export interface TimelineQuery {
  direction: 'asc' | 'desc';
  after?: TimelinePosition;
  limit: number;
  /** Whether to read from a deleted ticket. */
  isDeleted: boolean;
}

/** Creates the grammar of a list below a ticket, ordered by creation time. @param fields selectable fields */
export function createTimelineGrammar(of: ParameterOwner, fields: readonly string[]) {
  return createListGrammar({
    owner: of,
    position: timelinePositionSchema,
    sort: sortParameter(['created_at'], 'created_at', byTime),
    fields,
    hasTotal: true,
    displayParameters: { deleted: deletedParameter },
  });
}

/** Converts a parsed request to a query. */
export function toTimelineQuery({
  limit,
  sort,
  after,
  own,
}: ListRequest<TimelinePosition> & { own: { deleted: 'true' | 'false' } }): TimelineQuery {
  const { direction } = toSort(sort as 'created_at');
  return { direction, limit, isDeleted: own.deleted === 'true', ...(after && { after }) };
}

/** Returns the cursor of the next page; null on the last page. */
export function toTimelineCursor(
  page: { items: readonly TimelinePosition[]; hasMore: boolean },
  request: Pick<ListRequest<TimelinePosition>, 'toCursor'>,
): string | null {
  return toNextCursor(page, request, ({ created_at, id }) => ({ created_at, id }));
}

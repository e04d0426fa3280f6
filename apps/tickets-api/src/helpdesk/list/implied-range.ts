import type { TicketQuery } from '../tickets/ticket-store.ts';

/**
 * Narrows the time range of the sort field by the bounds of the other time, because no ticket is updated before it is
 * created. A scan for tickets updated last year, sorted by creation, then skips all tickets created since.
 */
export function withImpliedRange(query: TicketQuery): TicketQuery {
  const { filter, sort } = query;
  const { created_at = {}, updated_at = {} } = filter;
  if (sort.field === 'created_at') {
    const [lte] = toSorted(created_at.lte, updated_at.lte, updated_at.lt);
    return lte === undefined
      ? query
      : { ...query, filter: { ...filter, created_at: { ...created_at, lte } } };
  }
  if (sort.field === 'updated_at') {
    const gte = toSorted(updated_at.gte, created_at.gte, created_at.gt).at(-1);
    return gte === undefined
      ? query
      : { ...query, filter: { ...filter, updated_at: { ...updated_at, gte } } };
  }
  return query;
}

/** Returns the defined times in ascending order. */
export function toSorted(...times: readonly (string | undefined)[]): string[] {
  return times.filter((time) => time !== undefined).toSorted();
}

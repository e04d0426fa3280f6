import type { TicketQuery } from '../tickets/ticket-store.ts';

/**
 * The same list in a narrower range of the time that it is sorted by, where the other time bounds it: no ticket is updated
 * before it is created. The walk to what was updated last year need not begin today.
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

/** Those that are given, in order. */
export function toSorted(...times: readonly (string | undefined)[]): string[] {
  return times.filter((time) => time !== undefined).toSorted();
}

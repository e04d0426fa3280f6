import { type Model, type QueryFilter, trusted } from 'mongoose';
import type { TicketQuery } from '../../tickets/ticket-store.ts';
import { due, filterPaths, findListDriver, indexName, timePath } from './indexes.ts';
import type { TicketDocument } from './ticket-document.ts';

/** The documents of a list, found by walking the index of what drives it. */
export function selectTickets(tickets: Model<TicketDocument>, query: TicketQuery) {
  const { field, direction } = query.sort;
  return tickets
    .find(toListFilter(query))
    .sort({ [timePath(field, query.reader)]: direction, _id: direction })
    .limit(query.limit)
    .hint(indexName(findListDriver(query), field))
    .lean();
}

/** The tickets on which something has become due, the longest ago first. */
export function selectDue(
  tickets: Model<TicketDocument>,
  { what, before, limit }: { what: keyof typeof due; before: Date; limit: number },
) {
  const { state, since } = due[what];
  return tickets
    .find({ ...state, [since]: trusted({ $lt: before }) })
    .sort({ [since]: 'asc', _id: 'asc' })
    .limit(limit)
    .hint(`due_${what}`)
    .lean();
}

/** The filter of a list. Operators are only ever written here; what a caller gave is always a value of one. */
function toListFilter({ filter, sort, after, reader, isDeleted = false }: TicketQuery) {
  const { created_at, updated_at, ...scalars } = filter;
  const conditions: QueryFilter<TicketDocument>[] = [
    reader === undefined ? { is_deleted: { $eq: isDeleted } } : { readers: { $eq: reader } },
  ];
  for (const [name, value] of Object.entries(scalars)) {
    conditions.push({ [filterPaths[name as keyof typeof scalars]]: { $eq: value } });
  }
  for (const [field, range] of Object.entries({ created_at, updated_at })) {
    const path = timePath(field as TicketQuery['sort']['field'], reader);
    for (const [operator, bound] of Object.entries(range ?? {})) {
      conditions.push({ [path]: trusted({ [`$${operator}`]: new Date(bound) }) });
    }
  }
  if (after) conditions.push(...behind(timePath(sort.field, reader), sort.direction, after));
  return { $and: conditions };
}

/** The bound lets the walk of the index begin at the position; among tickets of the same time the id decides. */
function behind(
  path: string,
  direction: TicketQuery['sort']['direction'],
  { value, id }: NonNullable<TicketQuery['after']>,
): QueryFilter<TicketDocument>[] {
  const operator = direction === 'desc' ? '$lt' : '$gt';
  const at = new Date(value);
  return [
    { [path]: trusted({ [`${operator}e`]: at }) },
    { $or: [{ [path]: trusted({ [operator]: at }) }, { _id: trusted({ [operator]: id }) }] },
  ];
}

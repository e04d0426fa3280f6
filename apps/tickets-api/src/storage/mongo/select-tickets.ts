import { type Model, type QueryFilter, trusted } from 'mongoose';
import type { TicketQuery } from '../../tickets/ticket-store.ts';
import { findDrivingFilter } from '../driving-filter.ts';
import { filterPaths, indexName } from './indexes.ts';
import type { TicketDocument } from './ticket-model.ts';

/** The documents of a list, found by walking the index of its driving filter. */
export function selectTickets(tickets: Model<TicketDocument>, query: TicketQuery) {
  const { field, direction } = query.sort;
  return tickets
    .find(toListFilter(query))
    .sort({ [field]: direction, _id: direction })
    .limit(query.limit)
    .hint(indexName(findDrivingFilter(query.filter), field))
    .lean();
}

/** The filter of a list. Operators are only ever written here; what a caller gave is always a value of one. */
function toListFilter({ filter, sort, after }: TicketQuery): QueryFilter<TicketDocument> {
  const { created_at, updated_at, ...scalars } = filter;
  const conditions: QueryFilter<TicketDocument>[] = [];
  for (const [name, value] of Object.entries(scalars)) {
    conditions.push({ [filterPaths[name as keyof typeof scalars]]: { $eq: value } });
  }
  for (const [field, range] of Object.entries({ created_at, updated_at })) {
    for (const [operator, bound] of Object.entries(range ?? {})) {
      conditions.push({ [field]: trusted({ [`$${operator}`]: new Date(bound) }) });
    }
  }
  if (after) conditions.push(...behind(sort, after));
  return conditions.length === 0 ? {} : { $and: conditions };
}

/** The bound lets the walk of the index begin at the position; among tickets of the same time the id decides. */
function behind({ field, direction }: TicketQuery['sort'], { value, id }: NonNullable<TicketQuery['after']>) {
  const operator = direction === 'desc' ? '$lt' : '$gt';
  const at = new Date(value);
  return [
    { [field]: trusted({ [`${operator}e`]: at }) },
    { $or: [{ [field]: trusted({ [operator]: at }) }, { _id: trusted({ [operator]: id }) }] },
  ];
}

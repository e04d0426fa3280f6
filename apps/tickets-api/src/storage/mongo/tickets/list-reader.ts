import { QUERY_LIMIT_MS } from '@keydesk/storage/mongo';
import { type Model, type QueryFilter, trusted } from 'mongoose';
import type { TicketPosition, TicketQuery } from '../../../helpdesk/tickets/ticket-store.ts';
import {
  findDrivingFilter,
  isServedByIndexes,
  isUndated,
  type ListPart,
  toListPosition,
  toParts,
  type WalkResult,
} from '../../list-plan.ts';
import { toConditions } from './list-conditions.ts';
import type { TicketDocument } from './ticket-document.ts';
import { due, findListDriver, indexName, timePath, uniqueExternalId } from './ticket-indexes.ts';

/** Reads lists part by part. */
export interface ListReader {
  /** Reads a page; with `ids`, only of these tickets. */
  select(query: TicketQuery, ids?: readonly string[]): Promise<TicketDocument[]>;
  findStep(query: TicketQuery, steps: number): Promise<TicketPosition | undefined>;
  count(query: TicketQuery): Promise<number>;
  countBy(query: TicketQuery, field: 'assignee' | 'tag'): Promise<Map<string | null, number>>;
}

export function createListReader(tickets: Model<TicketDocument>): ListReader {
  async function walk(part: ListPart, steps: number): Promise<WalkResult> {
    const [document] = await selectStep(tickets, part, steps);
    if (!document) return { steps: await countSteps(tickets, part, steps) };
    const path = timePath(part.sort.field, part.reader) as 'created_at' | 'due_at' | 'reply_count';
    const value = document[path];
    return { step: { value: value instanceof Date ? value.toISOString() : value, id: document._id } };
  }

  return {
    async select(query, ids) {
      const documents: TicketDocument[] = [];
      for (const part of toParts(query)) {
        const limit = query.limit - documents.length;
        if (limit > 0) documents.push(...(await selectTickets(tickets, { ...part, limit }, ids)));
      }
      return documents;
    },
    async findStep(query, steps) {
      if (isServedByIndexes(query)) return undefined;
      let left = steps;
      for (const part of toParts(query)) {
        const walked = await walk(part, left);
        if ('step' in walked) return toListPosition(walked.step, part);
        left -= walked.steps;
      }
      return undefined;
    },
    async countBy(query, field) {
      const [part] = toParts(query);
      const groups = part ? await countTicketsBy(tickets, part, field) : [];
      return new Map(groups.map(({ _id, count }) => [_id ?? null, count]));
    },
    async count(query) {
      let count = 0;
      for (const part of toParts(query)) count += await countTickets(tickets, part);
      return Math.min(query.limit, count);
    },
  };
}

/**
 * Selects the tickets of one part of a list (see `toParts`) by the index of its driving filter. If only a few ids are
 * requested, selects by these.
 */
export function selectTickets(tickets: Model<TicketDocument>, query: ListPart, ids?: readonly string[]) {
  if (ids) return selectAmong(tickets, query, ids).limit(query.limit).lean();
  return selectInOrder(tickets, query, query.filter).limit(query.limit).lean();
}

/** Selects the position that the walk of one part of a list reaches after a number of steps. */
function selectStep(tickets: Model<TicketDocument>, query: ListPart, steps: number) {
  return selectWalk(tickets, query)
    .skip(steps - 1)
    .limit(1)
    .select([timePath(query.sort.field, query.reader)])
    .lean();
}

/** Counts the steps of the walk of one part of a list, up to a limit. */
function countSteps(tickets: Model<TicketDocument>, query: ListPart, limit: number) {
  return tickets
    .countDocuments(toListFilter(query, toWalked(query)))
    .hint(indexName(findListDriver(query), query.sort.field))
    .limit(limit);
}

/** Counts the tickets of one part of a list, up to its limit. */
function countTickets(tickets: Model<TicketDocument>, query: ListPart) {
  return tickets
    .countDocuments(toListFilter(query, query.filter))
    .hint(indexName(findListDriver(query), query.sort.field))
    .limit(query.limit);
}

/** Counts the tickets of one part of a list by the values of a field, up to its limit. */
function countTicketsBy(
  tickets: Model<TicketDocument>,
  query: ListPart,
  field: 'assignee' | 'tag',
): Promise<{ _id?: string | null; count: number }[]> {
  const { field: sortField, direction } = query.sort;
  const order = direction === 'asc' ? 1 : -1;
  const path = field === 'tag' ? '$tags' : '$assignee.id';
  return tickets
    .aggregate<{ _id?: string | null; count: number }>([
      { $match: toListFilter(query, query.filter) },
      { $sort: { [timePath(sortField, query.reader)]: order, _id: order } },
      { $limit: query.limit },
      ...(field === 'tag' ? [{ $unwind: { path, preserveNullAndEmptyArrays: true } } as const] : []),
      { $group: { _id: path, count: { $sum: 1 } } },
    ])
    .option({ hint: indexName(findListDriver(query), sortField), maxTimeMS: QUERY_LIMIT_MS });
}

/** Selects tickets that are due, oldest first. */
export function selectDue(
  tickets: Model<TicketDocument>,
  { what, before, limit }: { what: keyof typeof due; before: Date; limit: number },
) {
  const { index, state, since } = due[what];
  return tickets
    .find({ ...state, [since]: trusted({ $lt: before }) })
    .sort({ [since]: 'asc', _id: 'asc' })
    .limit(limit)
    .hint(index)
    .lean();
}

function selectAmong(tickets: Model<TicketDocument>, query: ListPart, ids: readonly string[]) {
  const { field, direction } = query.sort;
  return tickets
    .find({ $and: [{ _id: trusted({ $in: ids }) }, toListFilter(query, query.filter)] })
    .sort({ [timePath(field, query.reader)]: direction, _id: direction })
    .hint('_id_');
}

function selectWalk(tickets: Model<TicketDocument>, query: ListPart) {
  return selectInOrder(tickets, query, toWalked(query));
}

function selectInOrder(tickets: Model<TicketDocument>, query: ListPart, filter: TicketQuery['filter']) {
  const { field, direction } = query.sort;
  return tickets
    .find(toListFilter(query, filter))
    .sort({ [timePath(field, query.reader)]: direction, _id: direction })
    .hint(indexName(findListDriver(query), field));
}

/** Returns the conditions that the index itself checks. */
function toWalked(query: ListPart): TicketQuery['filter'] {
  const { filter, sort } = query;
  const driver = findDrivingFilter(query);
  const range = filter[sort.field];
  return {
    ...(driver && { [driver.name]: { any: driver.values } }),
    ...(driver?.next && { [driver.next.name]: { any: driver.next.values } }),
    ...(range && { [sort.field]: range }),
  };
}

function toListFilter(query: ListPart, filter: TicketQuery['filter']) {
  const { after, until, reader, isDeleted = false } = query;
  const conditions: QueryFilter<TicketDocument>[] = [
    reader === undefined ? { is_deleted: { $eq: isDeleted } } : { readers: { $eq: reader } },
    ...toConditions({ filter, ...(reader !== undefined && { reader }) }),
  ];
  const isDescending = query.sort.direction === 'desc';
  if (after) conditions.push(...isAt(query, after, { operator: isDescending ? '$lt' : '$gt' }));
  if (until) {
    conditions.push(...isAt(query, until, { operator: isDescending ? '$gt' : '$lt', isInclusive: true }));
  }
  return { $and: conditions };
}

/** Returns conditions for tickets after a position. The first bounds the index; the id breaks ties. */
function isAt(
  query: ListPart,
  { value, id }: TicketPosition,
  { operator, isInclusive = false }: { operator: '$lt' | '$gt'; isInclusive?: boolean },
): QueryFilter<TicketDocument>[] {
  const path = timePath(query.sort.field, query.reader);
  const isBeside = { _id: trusted({ [isInclusive ? `${operator}e` : operator]: id }) };
  if (isUndated(query) || value === null) return [isBeside];
  const at = typeof value === 'number' ? value : new Date(value);
  return [
    { [path]: trusted({ [`${operator}e`]: at }) },
    { $or: [{ [path]: trusted({ [operator]: at }) }, isBeside] },
  ];
}

/** Selects the ticket with an external id that is unique within a client. */
export function selectByExternalId(tickets: Model<TicketDocument>, clientId: string, externalId: string) {
  return tickets
    .findOne({ external_id_client: { $eq: clientId }, external_id: { $eq: externalId } })
    .hint(uniqueExternalId.name);
}

import { type Model, trusted } from 'mongoose';
import {
  type TicketPosition,
  type TicketQuery,
  type TicketText,
  toPosition,
} from '../../helpdesk/tickets/ticket-store.ts';
import type { ListReader } from './list-reader.ts';
import type { MongoModels } from './models.ts';
import { selectByWords, selectMatches } from './search-texts.ts';
import { type TextDocument, toText } from './text-model.ts';
import { type TicketDocument, toTicketRecord } from './ticket-document.ts';

/** What of a ticket a list of texts tells. */
export type FoundTicket = Pick<TicketDocument, '_id' | 'created_at'>;

/** Lists that may be searched. */
export interface SearchedLists extends ListReader {
  /** The texts of these tickets, in their order. */
  selectTexts(found: readonly FoundTicket[]): Promise<TicketText[]>;
}

/** Where more tickets have the words, a walk of the list soon comes upon them. */
const LISTED_AT_MOST = 2_000;
const WALKED_AT_ONCE = 200;
const COUNTED_AT_ONCE = 1_000;

/** Searches through the lists that `lists` reads: led by the words that few tickets have, or by the list. */
export function createSearchedLists({ texts }: Pick<MongoModels, 'texts'>, lists: ListReader): SearchedLists {
  async function select(query: TicketQuery): Promise<TicketDocument[]> {
    const { search, ...list } = query;
    if (!search) return lists.select(query);
    const ids = await findByWords(texts, query);
    if (!ids) return walk(list, search);
    return lists.select(list, await keepMatches(ids, query));
  }

  async function keepMatches(
    ids: readonly string[],
    { search = [], reader }: Pick<TicketQuery, 'search' | 'reader'>,
  ): Promise<string[]> {
    if (ids.length === 0) return [];
    const found = await selectMatches(texts, ids, search, { isPublicOnly: reader !== undefined });
    return found.map(({ _id }) => _id);
  }

  /** Walks the list in batches until enough of it matches. */
  async function walk(
    list: TicketQuery,
    search: NonNullable<TicketQuery['search']>,
  ): Promise<TicketDocument[]> {
    const found: TicketDocument[] = [];
    let { after } = list;
    for (;;) {
      const batch = await lists.select({ ...list, ...(after && { after }), limit: WALKED_AT_ONCE });
      const ids = batch.map(({ _id }) => _id);
      const matches = new Set(await keepMatches(ids, { ...list, search }));
      found.push(...batch.filter(({ _id }) => matches.has(_id)));
      const last = batch.at(-1);
      if (!last || batch.length < WALKED_AT_ONCE || found.length >= list.limit)
        return found.slice(0, list.limit);
      after = toPlace(last, list);
    }
  }

  return {
    select,
    findStep: async (query, steps) =>
      (await findByWords(texts, query)) ? undefined : lists.findStep(query, steps),
    countBy: lists.countBy,
    count: (query) => (query.search ? countMatches(select, query) : lists.count(query)),
    async selectTexts(found) {
      const ofFound = { _id: trusted({ $in: found.map(({ _id }) => _id) }) };
      const byId = new Map((await texts.find(ofFound).lean()).map((text) => [text._id, text]));
      return found.flatMap(({ _id, created_at }) => {
        const text = byId.get(_id);
        return text ? [{ id: _id, created_at: created_at.toISOString(), text: toText(text) }] : [];
      });
    },
  };
}

/** Counts batch by batch: all of the tickets at once may be more than fits into memory. */
async function countMatches(select: ListReader['select'], query: TicketQuery): Promise<number> {
  let { after } = query;
  for (let count = 0; ; ) {
    const batch = await select({ ...query, ...(after && { after }), limit: COUNTED_AT_ONCE });
    const last = batch.at(-1);
    count += batch.length;
    if (!last || batch.length < COUNTED_AT_ONCE || count >= query.limit) return Math.min(count, query.limit);
    after = toPlace(last, query);
  }
}

/**
 * `undefined`: there are too many of them. What is found in notes must not decide anything for customers, and their own
 * tickets are few.
 */
async function findByWords(
  texts: Model<TextDocument>,
  { search, reader }: TicketQuery,
): Promise<readonly string[] | undefined> {
  if (!search || reader !== undefined) return undefined;
  const found = await selectByWords(texts, search, LISTED_AT_MOST + 1);
  return found.length > LISTED_AT_MOST ? undefined : found.map(({ _id }) => _id);
}

function toPlace(document: TicketDocument, { sort, reader }: TicketQuery): TicketPosition {
  const { ticket, publicUpdatedAt } = toTicketRecord(document);
  return toPosition(reader === undefined ? ticket : { ...ticket, updated_at: publicUpdatedAt }, sort);
}

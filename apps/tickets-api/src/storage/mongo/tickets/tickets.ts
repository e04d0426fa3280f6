import { guardMongo } from '@keydesk/storage/mongo';
import { createTransactions } from '@keydesk/storage/mongo-transactions';
import { type Model, trusted } from 'mongoose';
import {
  type TicketPosition,
  type TicketQuery,
  type TicketStore,
  type TicketText,
  toPosition,
} from '../../../helpdesk/tickets/ticket-store.ts';
import { createCommitGroups } from '../commit/commit-groups.ts';
import { RETRY_LIMIT_MS } from '../commit/commit-once.ts';
import { createListReader, type ListReader, selectByExternalId, selectDue } from './list-reader.ts';
import { createTagSettler } from './tags.ts';
import { selectByWords, selectMatches, type TextDocument, toText } from './texts.ts';
import { type TicketDocument, toTicketRecord } from './ticket-document.ts';
import { createTicketWriter, type TicketModels } from './ticket-writer.ts';

const TEXT_BATCH = 50;
/** Number of commits after which queued differences of the counts of tags are added up. */
const CALLS_PER_SETTLEMENT = 100;

export function createTicketStore(models: TicketModels, clock: { now: () => Date }): TicketStore {
  const { tickets } = models;
  const searched = createSearchedLists(models, createListReader(tickets));
  const transactions = createTransactions(tickets.db, { retryLimitMs: RETRY_LIMIT_MS });
  const commitInGroup = createCommitGroups(transactions, createTicketWriter(models, clock));
  const settleTags = createTagSettler(models);
  let calls = 0;
  return {
    async commit(commits, request) {
      const outcome = await guardMongo(() => commitInGroup({ commits, request }));
      calls += 1;
      // In the background, so that the queue stays short where tags are never listed. The next call retries a failure.
      if (calls % CALLS_PER_SETTLEMENT === 0) void settleTags().catch(() => undefined);
      return outcome;
    },
    find: (id) =>
      guardMongo(async () => {
        const document = await tickets.findOne({ _id: { $eq: id } }).lean();
        return document ? toTicketRecord(document) : undefined;
      }),
    findByExternalId: (clientId, externalId) =>
      guardMongo(async () => {
        const document = await selectByExternalId(tickets, clientId, externalId).lean();
        return document ? toTicketRecord(document) : undefined;
      }),
    findAll: (ids) =>
      guardMongo(async () => (await tickets.find({ _id: trusted({ $in: ids }) }).lean()).map(toTicketRecord)),
    list: (query) => guardMongo(async () => (await searched.select(query)).map(toTicketRecord)),
    findStep: (query, steps) => guardMongo(() => searched.findStep(query, steps)),
    count: (query) => guardMongo(() => searched.count(query)),
    countBy: (query, field) => guardMongo(() => searched.countBy(query, field)),
    async *listTexts(query) {
      const documents = await guardMongo(() => searched.select(query));
      const found = documents.map(({ _id, created_at }) => ({ _id, created_at }));
      for (let i = 0; i < found.length; i += TEXT_BATCH) {
        yield* await guardMongo(() => searched.selectTexts(found.slice(i, i + TEXT_BATCH)));
      }
    },
    listDue: (what, before, limit) =>
      guardMongo(async () => (await selectDue(tickets, { what, before, limit })).map(toTicketRecord)),
  };
}

/** Members of a ticket that a list of texts needs. */
type FoundTicket = Pick<TicketDocument, '_id' | 'created_at'>;

/** Lists with search. */
interface SearchedLists extends ListReader {
  /** Reads the texts of these tickets, in order. */
  selectTexts(found: readonly FoundTicket[]): Promise<TicketText[]>;
}

/** If more tickets have the words, a walk of the list finds matches soon. */
const MAX_LISTED = 2_000;
const SCAN_BATCH = 200;
const COUNT_BATCH = 1_000;

/** Creates lists with search, led by the words if few tickets have them, or else by the list. */
function createSearchedLists({ texts }: { texts: Model<TextDocument> }, lists: ListReader): SearchedLists {
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

  /** Walks the list in batches until there are enough matches. */
  async function walk(
    list: TicketQuery,
    search: NonNullable<TicketQuery['search']>,
  ): Promise<TicketDocument[]> {
    const found: TicketDocument[] = [];
    let { after } = list;
    for (;;) {
      const batch = await lists.select({ ...list, ...(after && { after }), limit: SCAN_BATCH });
      const ids = batch.map(({ _id }) => _id);
      const matches = new Set(await keepMatches(ids, { ...list, search }));
      found.push(...batch.filter(({ _id }) => matches.has(_id)));
      const last = batch.at(-1);
      if (!last || batch.length < SCAN_BATCH || found.length >= list.limit) return found.slice(0, list.limit);
      after = toListPosition(last, list);
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

/** Counts matches in batches, because all tickets may not fit into memory. */
async function countMatches(select: ListReader['select'], query: TicketQuery): Promise<number> {
  let { after } = query;
  for (let count = 0; ; ) {
    const batch = await select({ ...query, ...(after && { after }), limit: COUNT_BATCH });
    const last = batch.at(-1);
    count += batch.length;
    if (!last || batch.length < COUNT_BATCH || count >= query.limit) return Math.min(count, query.limit);
    after = toListPosition(last, query);
  }
}

/**
 * Finds tickets by the words of a search; `undefined` if there are too many. Not used for customers: matches in
 * internal replies must not affect their results, and their lists are short.
 */
async function findByWords(
  texts: Model<TextDocument>,
  { search, reader }: TicketQuery,
): Promise<readonly string[] | undefined> {
  if (!search || reader !== undefined) return undefined;
  const found = await selectByWords(texts, search, MAX_LISTED + 1);
  return found.length > MAX_LISTED ? undefined : found.map(({ _id }) => _id);
}

function toListPosition(document: TicketDocument, { sort, reader }: TicketQuery): TicketPosition {
  const { ticket, publicUpdatedAt } = toTicketRecord(document);
  return toPosition(reader === undefined ? ticket : { ...ticket, updated_at: publicUpdatedAt }, sort);
}

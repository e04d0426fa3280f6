import { guardMongo } from '@keydesk/storage/mongo';
import { trusted } from 'mongoose';
import type { TicketStore } from '../../helpdesk/tickets/ticket-store.ts';
import { createCommitOnce } from './commit-once.ts';
import { createListReader } from './list-reader.ts';
import type { MongoModels } from './models.ts';
import { createSearchedLists } from './searched-lists.ts';
import { selectByExternalId, selectDue } from './select-tickets.ts';
import { toTicketRecord } from './ticket-document.ts';
import type { TicketWriter } from './ticket-writer.ts';

const TEXTS_AT_ONCE = 50;

export function createMongoTicketStore(
  { tickets, records, texts }: Pick<MongoModels, 'tickets' | 'records' | 'texts'>,
  writeTickets: TicketWriter,
): TicketStore {
  const lists = createListReader(tickets);
  const searched = createSearchedLists({ texts }, lists);
  const commitOnce = createCommitOnce(records);
  return {
    commit: (commits, request) =>
      guardMongo(() => commitOnce(request, (session) => writeTickets(commits, session))),
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
      guardMongo(async () =>
        (await tickets.find({ _id: trusted({ $in: ids }) }).lean()).map((document) =>
          toTicketRecord(document),
        ),
      ),
    list: (query) => guardMongo(async () => (await searched.select(query)).map(toTicketRecord)),
    findStep: (query, steps) => guardMongo(() => searched.findStep(query, steps)),
    count: (query) => guardMongo(() => searched.count(query)),
    countBy: (query, field) => guardMongo(() => searched.countBy(query, field)),
    async *listTexts(query) {
      const documents = await guardMongo(() => searched.select(query));
      const found = documents.map(({ _id, created_at }) => ({ _id, created_at }));
      for (let i = 0; i < found.length; i += TEXTS_AT_ONCE) {
        yield* await guardMongo(() => searched.selectTexts(found.slice(i, i + TEXTS_AT_ONCE)));
      }
    },
    listDue: (what, before, limit) =>
      guardMongo(async () => (await selectDue(tickets, { what, before, limit })).map(toTicketRecord)),
  };
}

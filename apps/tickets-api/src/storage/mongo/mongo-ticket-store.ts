import { guardMongo } from '@keydesk/storage/mongo';
import type { TicketStore } from '../../tickets/ticket-store.ts';
import { createCommitOnce } from './commit-once.ts';
import type { MongoModels } from './models.ts';
import { selectDue, selectTickets } from './select-tickets.ts';
import { toTicketRecord } from './ticket-document.ts';
import type { TicketWriter } from './ticket-writer.ts';

export function createMongoTicketStore(
  { tickets, records }: Pick<MongoModels, 'tickets' | 'records'>,
  writeTickets: TicketWriter,
): TicketStore {
  const commitOnce = createCommitOnce(records);
  return {
    commit: (commits, request) =>
      guardMongo(() => commitOnce(request, (session) => writeTickets(commits, session))),
    find: (id) =>
      guardMongo(async () => {
        const document = await tickets.findOne({ _id: { $eq: id } }).lean();
        return document ? toTicketRecord(document) : undefined;
      }),
    list: (query) => guardMongo(async () => (await selectTickets(tickets, query)).map(toTicketRecord)),
    listDue: (what, before, limit) =>
      guardMongo(async () => (await selectDue(tickets, { what, before, limit })).map(toTicketRecord)),
  };
}

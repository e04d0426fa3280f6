import { AppError } from '@keydesk/http';
import {
  guardMongo,
  isDuplicateKey,
  type MongoOptions,
  openMongo,
  QUERY_LIMIT_MS,
} from '@keydesk/storage/mongo';
import type { ClientSession } from 'mongoose';
import type { Ticket } from '../../tickets/ticket.ts';
import type { TicketStore } from '../../tickets/ticket-store.ts';
import { createInsertOnce } from './insert-once.ts';
import { migrateRequestRecords, migrateTickets } from './migrate-tickets.ts';
import { createRequestRecordModel } from './request-records.ts';
import { selectTickets } from './select-tickets.ts';
import { createTicketModel, toDocument, toTicket } from './ticket-model.ts';

const writeLimit = { maxTimeMS: QUERY_LIMIT_MS };

/**
 * Opens the tickets in a MongoDB database and makes the indexes that are missing.
 *
 * @throws {Error} with one readable message when MongoDB cannot be used.
 */
export async function openMongoTicketStore(options: MongoOptions): Promise<TicketStore> {
  const connection = await openMongo(options);
  const tickets = createTicketModel(connection);
  const records = createRequestRecordModel(connection);
  await migrateTickets(tickets);
  await migrateRequestRecords(records);
  const insertOnce = createInsertOnce(records);

  async function insertNew(ticket: Ticket, session?: ClientSession): Promise<void> {
    try {
      await tickets.insertOne(toDocument(ticket), { session: session ?? null });
    } catch (err) {
      if (!isDuplicateKey(err)) throw err;
      throw new AppError('conflict', 'There is a ticket with this id already.', { cause: err });
    }
  }

  return {
    insert: (ticket, request) =>
      guardMongo(async () => {
        if (request) return insertOnce(request, ticket, (session) => insertNew(ticket, session));
        await insertNew(ticket);
        return { outcome: 'inserted', resource: ticket };
      }),
    find: (id) =>
      guardMongo(async () => {
        const document = await tickets.findOne({ _id: { $eq: id } }).lean();
        return document ? toTicket(document) : undefined;
      }),
    replace: (ticket, expectedVersion) =>
      guardMongo(async () => {
        const { matchedCount } = await tickets.replaceOne(
          { _id: { $eq: ticket.id }, version: { $eq: expectedVersion } },
          toDocument(ticket),
          writeLimit,
        );
        return matchedCount === 1;
      }),
    remove: (id, expectedVersion) =>
      guardMongo(async () => {
        const version = expectedVersion === undefined ? {} : { version: { $eq: expectedVersion } };
        const { deletedCount } = await tickets.deleteOne({ _id: { $eq: id }, ...version }, writeLimit);
        return deletedCount === 1;
      }),
    list: (query) => guardMongo(async () => (await selectTickets(tickets, query)).map(toTicket)),
    ping: () => guardMongo(async () => void (await connection.db?.command({ ping: 1 }))),
    close: () => connection.close(),
  };
}

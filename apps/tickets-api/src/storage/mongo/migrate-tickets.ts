import type { Model, mongo } from 'mongoose';
import { ticketIndexes } from './indexes.ts';
import { type RequestRecordDocument, requestRecordIndexes } from './request-records.ts';
import type { TicketDocument } from './ticket-model.ts';

/**
 * Makes the indexes of tickets that are missing; every process may do so at every start.
 *
 * @throws {Error} with one readable message; the connection is closed.
 */
export function migrateTickets(tickets: Model<TicketDocument>): Promise<void> {
  return createIndexes(tickets, ticketIndexes, 'tickets');
}

/** Makes the indexes of request records that are missing. @throws {Error} as `migrateTickets` */
export function migrateRequestRecords(records: Model<RequestRecordDocument>): Promise<void> {
  return createIndexes(records, requestRecordIndexes, 'request records');
}

async function createIndexes<Document>(
  { collection, db }: Model<Document>,
  indexes: readonly mongo.IndexDescription[],
  what: string,
): Promise<void> {
  try {
    await collection.createIndexes([...indexes]);
  } catch (err) {
    await db.close();
    const reason = err instanceof Error ? err.message : String(err);
    throw new Error(`The indexes of the ${what} cannot be made: ${reason}`, { cause: err });
  }
}

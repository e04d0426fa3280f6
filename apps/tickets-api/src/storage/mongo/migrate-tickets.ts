import type { Model } from 'mongoose';
import { ticketIndexes } from './indexes.ts';
import type { TicketDocument } from './ticket-model.ts';

/**
 * Makes the indexes that are missing; every process may do so at every start.
 *
 * @throws {Error} with one readable message; the connection is closed.
 */
export async function migrateTickets(tickets: Model<TicketDocument>): Promise<void> {
  try {
    await tickets.collection.createIndexes([...ticketIndexes]);
  } catch (err) {
    await tickets.db.close();
    const reason = err instanceof Error ? err.message : String(err);
    throw new Error(`The indexes of the tickets cannot be made: ${reason}`, { cause: err });
  }
}

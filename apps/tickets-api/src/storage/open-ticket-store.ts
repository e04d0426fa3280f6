import { databaseOf } from '@keydesk/storage/mongo-url';
import type { TicketStore } from '../tickets/ticket-store.ts';

export interface TicketStoreOptions {
  /** The MongoDB database to use when the URL names none. */
  database?: string;
}

/**
 * Opens the tickets where `storageUrl` says: `sqlite:PATH`, or `mongodb://…` or `mongodb+srv://…`. Only the chosen
 * engine is loaded.
 *
 * @throws {Error} with one readable message when the URL is of no known kind or the database cannot be used.
 */
export async function openTicketStore(
  storageUrl: string,
  { database = 'keydesk_tickets' }: TicketStoreOptions = {},
): Promise<TicketStore> {
  if (/^sqlite:./.test(storageUrl)) {
    const { openSqliteTicketStore } = await import('./sqlite/open-sqlite-ticket-store.ts');
    return openSqliteTicketStore({ path: storageUrl.slice('sqlite:'.length) });
  }
  if (/^mongodb(\+srv)?:\/\//.test(storageUrl)) {
    const { openMongoTicketStore } = await import('./mongo/open-mongo-ticket-store.ts');
    return openMongoTicketStore({ url: storageUrl, database: databaseOf(storageUrl) ?? database });
  }
  throw new Error('The storage URL must be sqlite:PATH, mongodb://… or mongodb+srv://….');
}

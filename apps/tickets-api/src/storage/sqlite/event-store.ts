import type { Sqlite } from '@keydesk/storage/sqlite';
import type { EventRecord } from '../../helpdesk/history/audit-event.ts';
import type { EventStore } from '../../helpdesk/history/event-store.ts';
import { createEventSearch } from './event-search.ts';
import { createTicketDocuments } from './ticket-documents.ts';

/** Adds events of the ticket in row `seq`, or of definitions (null), within one transaction. */
export type EventWriter = (seq: number | null, events: readonly EventRecord[]) => void;

export function createEventWriter({ prepare }: Sqlite): EventWriter {
  const insert = prepare('INSERT INTO events (ticket_seq, id, is_public, document) VALUES (?, ?, ?, ?)');
  return (seq, events) => {
    for (const record of events) {
      const isPublic = record.publicChanges !== undefined;
      insert.run(seq, record.event.id, Number(isPublic), JSON.stringify(record));
    }
  };
}

export function createEventStore(sqlite: Sqlite): EventStore {
  const documents = createTicketDocuments(sqlite, 'events');
  return {
    ...createEventSearch(sqlite),
    list: async ({ after, ...query }) =>
      documents.list({ ...query, ...(after !== undefined && { after: [after] }) }) as readonly EventRecord[],
    countOf: async (query) => documents.count(query),
  };
}

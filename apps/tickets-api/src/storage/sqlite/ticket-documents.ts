import type { StatementSync } from 'node:sqlite';
import type { Sqlite } from '@keydesk/storage/sqlite';
import { deepFreeze } from '../deep-freeze.ts';

/** A page of what belongs to a ticket, in order of id. */
export interface TicketDocumentQuery {
  ticketId: string;
  isPublicOnly: boolean;
  direction: 'asc' | 'desc';
  /** The page begins just behind this id. */
  after?: string;
  limit: number;
}

/** What replies and events have in common: documents of a ticket, some of which customers see. */
export interface TicketDocuments {
  list(query: TicketDocumentQuery): readonly unknown[];
}

const indexes = {
  replies: { all: 'sqlite_autoindex_replies_1', public: 'public_replies' },
  events: { all: 'sqlite_autoindex_events_1', public: 'public_events' },
} as const;

export function createTicketDocuments(
  { prepare, read }: Sqlite,
  table: keyof typeof indexes,
): TicketDocuments {
  const statements = {
    all: { asc: prepareList('all', 'asc'), desc: prepareList('all', 'desc') },
    public: { asc: prepareList('public', 'asc'), desc: prepareList('public', 'desc') },
  };

  function prepareList(which: 'all' | 'public', direction: 'asc' | 'desc'): StatementSync {
    return prepare(`
      SELECT document FROM ${table} INDEXED BY ${indexes[table][which]}
      WHERE ticket_seq = (SELECT seq FROM tickets WHERE id = ?) ${which === 'public' ? 'AND is_public = 1' : ''}
        AND id ${direction === 'asc' ? '>' : '<'} ?
      ORDER BY id ${direction} LIMIT ?`);
  }

  return {
    list: ({ ticketId, isPublicOnly, direction, after, limit }) =>
      read(() =>
        statements[isPublicOnly ? 'public' : 'all'][direction]
          .all(ticketId, after ?? beforeAnyId[direction], limit)
          .map(({ document }) => deepFreeze(JSON.parse(String(document)))),
      ),
  };
}

/** What comes before every id in either direction. */
const beforeAnyId = { asc: '', desc: 'g' } as const;

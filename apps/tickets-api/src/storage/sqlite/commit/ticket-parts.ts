import type { StatementSync } from 'node:sqlite';
import { deepFreeze } from '@keydesk/storage/deep-freeze';
import type { Sqlite } from '@keydesk/storage/sqlite';

/** Query for a page of the replies or events of a ticket. */
export interface TicketPartQuery {
  ticketId: string;
  isPublicOnly: boolean;
  direction: 'asc' | 'desc';
  /** Position after which the page begins: the values of its order. */
  after?: readonly string[];
  limit: number;
}

/** Documents of a ticket, replies or events, some of which customers see. */
export interface TicketParts {
  list(query: TicketPartQuery): readonly unknown[];
  /** Counts them, up to the limit. */
  count(query: Pick<TicketPartQuery, 'ticketId' | 'isPublicOnly' | 'limit'>): number;
}

const orders = {
  replies: { by: ['created_at', 'id'], all: 'replies_in_order', public: 'public_replies_in_order' },
  events: { by: ['id'], all: 'sqlite_autoindex_events_1', public: 'public_events' },
} as const;

export function createTicketParts({ prepare, read }: Sqlite, table: keyof typeof orders): TicketParts {
  const { by, ...indexes } = orders[table];
  const statements = {
    all: { asc: prepareList('all', 'asc'), desc: prepareList('all', 'desc') },
    public: { asc: prepareList('public', 'asc'), desc: prepareList('public', 'desc') },
  };
  const counts = { all: prepareCount('all'), public: prepareCount('public') };

  function toWalk(which: 'all' | 'public'): string {
    return `
      FROM ${table} INDEXED BY ${indexes[which]}
      WHERE ticket_seq = (SELECT seq FROM tickets WHERE id = ?) ${which === 'public' ? 'AND is_public = 1' : ''}`;
  }

  function prepareList(which: 'all' | 'public', direction: 'asc' | 'desc'): StatementSync {
    return prepare(`
      SELECT document ${toWalk(which)}
        AND (${by.join()}) ${direction === 'asc' ? '>' : '<'} (${by.map(() => '?').join()})
      ORDER BY ${by.map((column) => `${column} ${direction}`).join()} LIMIT ?`);
  }

  function prepareCount(which: 'all' | 'public'): StatementSync {
    return prepare(`SELECT count(*) AS count FROM (SELECT 1 ${toWalk(which)} LIMIT ?)`);
  }

  return {
    list: ({ ticketId, isPublicOnly, direction, after, limit }) =>
      read(() =>
        statements[isPublicOnly ? 'public' : 'all'][direction]
          .all(ticketId, ...(after ?? by.map(() => beforeAny[direction])), limit)
          .map(({ document }) => deepFreeze(JSON.parse(String(document)))),
      ),
    count: ({ ticketId, isPublicOnly, limit }) =>
      read(() => Number(counts[isPublicOnly ? 'public' : 'all'].get(ticketId, limit)?.count)),
  };
}

/** Sorts before every id and time in either direction. */
const beforeAny = { asc: '', desc: 'g' } as const;

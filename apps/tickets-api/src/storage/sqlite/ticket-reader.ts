import type { Sqlite } from '@keydesk/storage/sqlite';
import { LRUCache } from 'lru-cache';
import type { Ticket } from '../../tickets/ticket.ts';
import { deepFreeze } from '../deep-freeze.ts';

const REMEMBERED_TICKETS = 10_000;
const REMEMBERED_CHARACTERS = 32 * 1024 * 1024;

/** The ticket in row `seq`, which is at `version` in the current snapshot. */
export type TicketReader = (seq: number, version: number) => Ticket;

/**
 * Reads tickets and remembers them decoded. A remembered ticket is used only at the version that the database has just
 * named, so it is never older than what any process has written.
 */
export function createTicketReader({ prepare }: Sqlite): TicketReader {
  const select = prepare('SELECT document FROM tickets WHERE seq = ?');
  const remembered = new LRUCache<number, Ticket>({
    max: REMEMBERED_TICKETS,
    maxSize: REMEMBERED_CHARACTERS,
  });
  return (seq, version) => {
    const known = remembered.get(seq);
    if (known?.version === version) return known;
    const { document } = select.get(seq) as { document: string };
    const ticket: Ticket = deepFreeze(JSON.parse(document));
    remembered.set(seq, ticket, { size: document.length });
    return ticket;
  };
}

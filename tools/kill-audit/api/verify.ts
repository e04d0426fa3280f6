import type { Change } from '../../../apps/tickets-api/src/helpdesk/feed/change.ts';
import type { StoredEvent } from '../../../apps/tickets-api/src/helpdesk/history/audit-event.ts';
import { loadAllReplies } from '../../../apps/tickets-api/src/helpdesk/replies/load-all-replies.ts';
import type { Reply } from '../../../apps/tickets-api/src/helpdesk/replies/reply.ts';
import type { Storage } from '../../../apps/tickets-api/src/helpdesk/storage.ts';
import type { Ticket } from '../../../apps/tickets-api/src/helpdesk/tickets/ticket.ts';
import type { TicketPosition } from '../../../apps/tickets-api/src/helpdesk/tickets/ticket-store.ts';
import type { LedgerEntry } from './ledger.ts';

/** Stored data of one ticket. */
interface Found {
  ticket: Ticket;
  replies: readonly Reply[];
  events: readonly StoredEvent[];
}

/** Changes in the feeds of staff and requesters, by feed and resource. */
type Feeds = ReadonlyMap<string, Change>;

const PAGE = 500;

/**
 * Returns all problems of tickets changed since `since`: lost acknowledged changes, inconsistent data, and duplicates.
 */
export async function findFaults(
  storage: Storage,
  entries: readonly LedgerEntry[],
  since: string,
): Promise<readonly string[]> {
  const tickets = await listSince(storage, since);
  const feeds = await readFeeds(storage, tickets);
  const found = new Map<string, Found>();
  for (const ticket of tickets) found.set(ticket.id, await load(storage, ticket));
  return [
    ...[...found.values()].flatMap((each) => findPartial(each, feeds)),
    ...entries.flatMap((entry) => findLost(entry, entry.id === undefined ? undefined : found.get(entry.id))),
    ...findRepeated(tickets),
  ];
}

async function listSince({ tickets }: Storage, since: string): Promise<Ticket[]> {
  const all: Ticket[] = [];
  for (const isDeleted of [false, true]) {
    let after: TicketPosition | undefined;
    do {
      const page = await tickets.list({
        isDeleted,
        filter: { updated_at: { gte: since } },
        sort: { field: 'updated_at', direction: 'asc' },
        limit: PAGE,
        ...(after && { after }),
      });
      all.push(...page.map(({ ticket }) => ticket));
      const last = page.at(-1)?.ticket;
      after = last && { value: last.updated_at, id: last.id };
    } while (after);
  }
  return all;
}

async function readFeeds({ changes }: Storage, tickets: readonly Ticket[]): Promise<Feeds> {
  const feeds = new Map<string, Change>();
  const readers = new Set(['staff', ...tickets.flatMap(({ requester }) => requester?.id ?? [])]);
  for (const reader of readers) {
    let after = 0;
    for (;;) {
      const page = await changes.list({ reader, after, limit: PAGE });
      for (const change of page)
        feeds.set(`${reader === 'staff' ? 'staff' : 'customer'} ${change.id}`, change);
      if (page.length === 0) break;
      after = page.at(-1)?.position ?? after;
    }
  }
  return feeds;
}

async function load({ replies, events }: Storage, ticket: Ticket): Promise<Found> {
  const query = { ticketId: ticket.id, isPublicOnly: false, direction: 'asc', limit: PAGE } as const;
  return {
    ticket,
    replies: await loadAllReplies(replies, ticket.id),
    events: (await events.list(query)).map(({ event }) => event),
  };
}

/** Checks that ticket, replies, events and changes are consistent. */
function findPartial({ ticket, replies, events }: Found, feeds: Feeds): string[] {
  const of = (type: StoredEvent['type']) => events.filter((event) => event.type === type);
  const added = of('reply.added').map(({ reply_id }) => reply_id);
  const removed = new Set(of('reply.removed').map(({ reply_id }) => reply_id));
  const kept = added.filter((id) => !removed.has(id));
  const isDeleted = ticket.deleted_at !== null;
  // The first public reply of staff creates two events: for the reply and for the ticket.
  const expectedEvents = ticket.version + (ticket.first_replied_at === null ? 0 : 1);
  const faults = {
    'events and versions': events.length === expectedEvents,
    'replies and their events': sameSet(
      replies.map(({ id }) => id),
      kept,
    ),
    'versions of replies and their events': replies.every(
      ({ id, version }) =>
        version === 1 + of('reply.changed').filter(({ reply_id }) => reply_id === id).length,
    ),
    'the change of the ticket':
      feeds.get(`staff ${ticket.id}`)?.isDeleted === isDeleted && isTold(feeds, 'staff', ticket),
    'the changes of its replies':
      added.every((id) => feeds.get(`staff ${id}`)?.isDeleted === (isDeleted || removed.has(id))) &&
      replies.every((reply) => isTold(feeds, 'staff', reply)),
    'the change that the customer sees': feeds.get(`customer ${ticket.id}`)?.isDeleted === isDeleted,
    'the changes of replies that the customer sees': replies.every((reply) =>
      reply.visibility === 'public'
        ? feeds.get(`customer ${reply.id}`)?.isDeleted === isDeleted && isTold(feeds, 'customer', reply)
        : !feeds.has(`customer ${reply.id}`),
    ),
  };
  return toFaults(ticket.id, faults);
}

/** Whether the feed has the latest change of a resource; a feed stores one change per resource. */
function isTold(
  feeds: Feeds,
  reader: 'staff' | 'customer',
  { id, updated_at }: { id: string; updated_at: string },
): boolean {
  const change = feeds.get(`${reader} ${id}`);
  return change !== undefined && change.at >= updated_at;
}

/** Checks that acknowledged changes exist, plus at most one request in flight. */
function findLost(entry: LedgerEntry, found: Found | undefined): string[] {
  if (entry.id === undefined) return [];
  if (!found) return [`${entry.id}: the ticket is lost`];
  const { ticket, replies } = found;
  const bodies = new Map(replies.map(({ id, body }) => [id, body]));
  const beyond = ticket.version - entry.version;
  const isExact = beyond === 0;
  return toFaults(entry.id, {
    'the version': beyond === 0 || (entry.isInFlight && beyond === 1),
    'the edit': !isExact || ticket.subject === entry.subject,
    'the deletion': entry.isDeleted ? ticket.deleted_at !== null : !isExact || ticket.deleted_at === null,
    'the replies': !isExact || sameSet([...bodies.keys()], [...entry.replies.keys()]),
    'the text of the replies': !isExact || [...entry.replies].every(([id, body]) => bodies.get(id) === body),
  });
}

function findRepeated(tickets: readonly Ticket[]): string[] {
  const ids = tickets.map(({ external_id }) => external_id);
  return ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `${id}: the ticket exists twice`);
}

function toFaults(id: string, checks: Readonly<Record<string, boolean>>): string[] {
  return Object.entries(checks)
    .filter(([, isRight]) => !isRight)
    .map(([what]) => `${id}: ${what} do not agree`);
}

function sameSet(one: readonly (string | null)[], other: readonly (string | null)[]): boolean {
  return one.length === other.length && one.every((each) => other.includes(each));
}

import { beforeAll, describe, expect, it } from 'vitest';
import { changed, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { adding, changing } from '../commit/ticket-commit.fixture.ts';
import { newDefinition } from '../definitions/new-definition.fixture.ts';
import { type EventRecord, eventTypes, type StoredEvent } from './audit-event.ts';
import type { EventFilter, EventPosition, EventSearch } from './event-search.ts';
import type { EventQuery } from './event-store.ts';
import { newDefinitionEvent, newEvent, newInternalEvent } from './new-event.fixture.ts';

/** Contract of every store of events. */
export function eventStoreContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('an event store', () => {
    const opened = openTwice(createDatabase);
    const list = (ticketId: string, query: Partial<EventQuery> = {}) =>
      opened.other.events.list({ ticketId, isPublicOnly: false, direction: 'asc', limit: 100, ...query });

    it('returns every field as it was written, frozen', async () => {
      const ticket = newTicket();
      const full: EventRecord = {
        ...newEvent(ticket.id, {
          reply_id: newTicket().id,
          type: 'reply.changed',
          actor: { type: 'person', id: 'somebody', name: 'Žofia 漢字' },
          client_id: 'mobile-app',
          changes: [
            { field: 'body', from: 'One\r\ntwo', to: '😀 e\u0301' },
            { field: 'tags', from: [], to: ['a', ''] },
            { field: 'custom_fields.floor', from: null, to: -0.1 },
            { field: 'custom_fields.vip', from: false, to: true },
          ],
        }),
        publicChanges: [{ field: 'body', from: 'One\r\ntwo', to: '😀 e\u0301' }],
      };
      const events = [full, newInternalEvent(ticket.id)];
      await opened.storage.tickets.commit([adding(ticket, { events })]);
      const found = await list(ticket.id);
      expect(found).toEqual(events);
      for (const part of [
        found[0],
        found[0]?.event,
        found[0]?.event.changes[1]?.to,
        found[0]?.publicChanges,
      ]) {
        expect(Object.isFrozen(part)).toBe(true);
      }
    });

    it('retains earlier events', async () => {
      const ticket = newTicket();
      const [first, second] = [newEvent(ticket.id, { type: 'ticket.created' }), newEvent(ticket.id)];
      await opened.storage.tickets.commit([adding(ticket, { events: [first] })]);
      await opened.storage.tickets.commit([changing(changed(ticket), { events: [second] })]);
      expect(await list(ticket.id)).toEqual([first, second]);
      expect(await list(newTicket().id)).toEqual([]);
    });

    it.each(['asc', 'desc'] as const)('lists them by id, as a whole and in pages, %s', async (direction) => {
      const ticket = newTicket();
      const events = Array.from({ length: 11 }, (_, i) => (i % 3 ? newEvent : newInternalEvent)(ticket.id));
      await opened.storage.tickets.commit([adding(ticket, { events })]);
      const ordered = direction === 'asc' ? events : events.toReversed();
      for (const isPublicOnly of [false, true]) {
        const expected = ordered.filter(({ publicChanges }) => !isPublicOnly || publicChanges);
        expect(await list(ticket.id, { direction, isPublicOnly })).toEqual(expected);
        const counted = { ticketId: ticket.id, isPublicOnly };
        expect(await opened.other.events.countOf({ ...counted, limit: 100 })).toBe(expected.length);
        expect(await opened.other.events.countOf({ ...counted, limit: 2 })).toBe(2);
        const read: EventRecord[] = [];
        for (let page = await list(ticket.id, { direction, isPublicOnly, limit: 3 }); page.length > 0; ) {
          expect(page.length).toBeLessThanOrEqual(3);
          read.push(...page);
          const after = page.at(-1)?.event.id ?? '';
          page = await list(ticket.id, { direction, isPublicOnly, limit: 3, after });
        }
        expect(read).toEqual(expected);
      }
    });

    describe('searches all tickets and definitions', () => {
      const [someone, machine] = ['somebody', 'a-machine'];
      const times = [1, 2, 3].map((day) => `2026-03-0${day}T12:00:00.000Z`);
      const actors: readonly StoredEvent['actor'][] = [
        { type: 'person', id: someone, name: null },
        { type: 'client', id: machine, name: null },
        { type: 'system', id: null, name: null },
      ];
      const tickets = [newTicket(), newTicket()];
      const ticketEvents = Array.from({ length: 36 }, (_, i) =>
        (i % 5 ? newEvent : newInternalEvent)(tickets[i % 2]?.id ?? '', {
          actor: actors[i % 3] as StoredEvent['actor'],
          client_id: i % 4 ? machine : null,
          type: eventTypes[i % 7] ?? 'ticket.changed',
          created_at: times[Math.floor(i / 4) % 3] ?? '',
        }),
      );
      const definitionEvents = Array.from({ length: 9 }, (_, i) =>
        newDefinitionEvent('ticket_type', 'change', {
          actor: actors[i % 2] as StoredEvent['actor'],
          client_id: i % 3 ? machine : null,
          created_at: times[i % 3] ?? '',
        }),
      );
      const events = [...ticketEvents, ...definitionEvents];
      const ids = [tickets[0]?.id ?? '', tickets[1]?.id ?? ''];
      const ofTickets = { ticket_id: { any: ids } };
      const filters: readonly EventFilter[] = [
        ofTickets,
        { ticket_id: { any: ids.slice(0, 1) } },
        { ...ofTickets, actor: { any: [someone] } },
        { actor: { any: [someone, 'system'] }, created_at: { gte: times[1] as string } },
        { actor: { any: [machine] }, type: { any: ['reply.added', 'ticket.created'] } },
        { type: { any: ['reply.removed', 'ticket.deleted'] }, client_id: { any: [machine] } },
        { type: { any: ['ticket_type.changed', 'ticket.created'] }, created_at: { gt: times[0] as string } },
        { actor: { any: [machine] }, type: { any: ['ticket_type.changed'] } },
        { client_id: { any: [machine] }, created_at: { gt: times[0] as string, lte: times[2] as string } },
        { created_at: { lt: times[1] as string } },
      ];

      beforeAll(async () => {
        const { tickets: store, definitions } = opened.storage;
        const commits = tickets.map((ticket) =>
          adding(ticket, { events: ticketEvents.filter(({ event }) => event.ticket_id === ticket.id) }),
        );
        await store.commit(commits);
        for (const event of definitionEvents) await definitions.add(newDefinition(), { event });
      });

      const eventIds = new Set(events.map(({ event }) => event.id));
      /** Other tests add events of the same time. */
      const isOurs = ({ event }: EventRecord) => eventIds.has(event.id);
      const search = (query: EventSearch) => opened.other.events.search(query);

      it.each(filters)(
        'by %j, as a whole, in pages and in bounded pages, in both directions, and counts them',
        async (filter) => {
          for (const direction of ['asc', 'desc'] as const) {
            const inOrder = events.filter(({ event }) => isFound(event, filter)).sort(compareEvents);
            const expected = direction === 'asc' ? inOrder : inOrder.toReversed();
            const query = { filter, direction, limit: 1_000 };
            const found = await search(query);
            expect(found.filter(isOurs)).toEqual(expected);
            expect(await opened.other.events.count(query)).toBe(found.length);
            expect(await opened.other.events.count({ ...query, limit: 2 })).toBe(2);
            expect(await readPages(query, 5)).toEqual(found);
          }
        },
      );

      it('bounds a page by the events that its index selects', async () => {
        const query = { filter: { ...ofTickets, client_id: { any: ['nobody'] } }, direction: 'asc' } as const;
        const tenth = ticketEvents.toSorted(compareEvents)[9]?.event;
        const step = await opened.other.events.findStep({ ...query, limit: 1 }, 10);
        expect(step).toEqual({ created_at: tenth?.created_at, id: tenth?.id });
        expect(await opened.other.events.findStep({ ...query, limit: 1 }, 37)).toBeUndefined();
        expect(
          await opened.other.events.findStep({ ...query, filter: ofTickets, limit: 1 }, 1),
        ).toBeUndefined();
      });

      /** Reads page after page, each of which looks at nine events at most. */
      async function readPages(query: EventSearch, limit: number): Promise<EventRecord[]> {
        const read: EventRecord[] = [];
        let page: EventSearch | undefined = { ...query, limit };
        for (let i = 0; page && i < 200; i++) {
          const until = await opened.other.events.findStep(page, 9);
          const found = await search({ ...page, ...(until && { until }) });
          read.push(...found);
          const after = found.length === limit ? toPlace(found.at(-1)) : until;
          page = after && { ...page, after };
        }
        expect(page).toBeUndefined();
        return read;
      }
    });
  });
}

function toPlace(record: EventRecord | undefined): EventPosition | undefined {
  return record && { created_at: record.event.created_at, id: record.event.id };
}

function isFound(event: StoredEvent, filter: EventFilter): boolean {
  const { gte = '', gt = '', lte = '9', lt = '9' } = filter.created_at ?? {};
  const at = event.created_at;
  return (
    (filter.actor?.any?.includes(event.actor.id ?? 'system') ?? true) &&
    (filter.client_id?.any?.includes(String(event.client_id)) ?? true) &&
    (filter.type?.any?.includes(event.type) ?? true) &&
    (filter.ticket_id?.any?.includes(event.ticket_id ?? '') ?? true) &&
    at >= gte &&
    at > gt &&
    at <= lte &&
    at < lt
  );
}

function compareEvents({ event: one }: EventRecord, { event: other }: EventRecord): number {
  const [a, b] = [one, other].map(({ created_at, id }) => created_at + id);
  return String(a) < String(b) ? -1 : 1;
}

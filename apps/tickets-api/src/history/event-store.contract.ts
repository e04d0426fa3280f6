import { describe, expect, it } from 'vitest';
import { openTwice } from '../storage/open-twice.fixture.ts';
import type { TestDatabase } from '../storage/test-database.fixture.ts';
import { changed, newTicket } from '../tickets/new-ticket.fixture.ts';
import { adding, changing } from '../tickets/ticket-commit.fixture.ts';
import type { EventQuery } from './event-store.ts';
import { newEvent, newInternalEvent } from './new-event.fixture.ts';
import type { EventRecord } from './ticket-event.ts';

/** What every store of events promises. */
export function eventStoreContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('an event store', () => {
    const opened = openTwice(createDatabase);
    const list = (ticketId: string, query: Partial<EventQuery> = {}) =>
      opened.other.events.list({ ticketId, isPublicOnly: false, direction: 'asc', limit: 100, ...query });

    it('gives back every field as it was written, and nobody can change it', async () => {
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

    it('keeps what happened earlier', async () => {
      const ticket = newTicket();
      const [first, second] = [newEvent(ticket.id, { type: 'ticket.created' }), newEvent(ticket.id)];
      await opened.storage.tickets.commit([adding(ticket, { events: [first] })]);
      await opened.storage.tickets.commit([changing(changed(ticket), { events: [second] })]);
      expect(await list(ticket.id)).toEqual([first, second]);
      expect(await list(newTicket().id)).toEqual([]);
    });

    it.each(['asc', 'desc'] as const)('lists them by id, whole and in pages, %s', async (direction) => {
      const ticket = newTicket();
      const events = Array.from({ length: 11 }, (_, i) => (i % 3 ? newEvent : newInternalEvent)(ticket.id));
      await opened.storage.tickets.commit([adding(ticket, { events })]);
      const ordered = direction === 'asc' ? events : events.toReversed();
      for (const isPublicOnly of [false, true]) {
        const expected = ordered.filter(({ publicChanges }) => !isPublicOnly || publicChanges);
        expect(await list(ticket.id, { direction, isPublicOnly })).toEqual(expected);
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
  });
}

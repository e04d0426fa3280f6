import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { changed, newReference, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { adding, changing } from '../commit/ticket-commit.fixture.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { authorOf, newReply } from './new-reply.fixture.ts';
import type { Reply } from './reply.ts';
import type { ReplyQuery } from './reply-store.ts';

/** Contract of every store of replies. */
export function replyStoreContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a reply store', () => {
    const opened = openTwice(createDatabase);

    /** Adds a ticket with these replies. */
    async function addReplies(toReplies: (ticketId: string) => readonly Reply[] = () => []): Promise<Ticket> {
      const ticket = newTicket();
      const writtenReplies = toReplies(ticket.id);
      await opened.storage.tickets.commit([adding(ticket, { writtenReplies })]);
      return ticket;
    }

    const find = ({ ticket_id, id }: Reply) => opened.other.replies.find(ticket_id, id);
    const list = (ticketId: string, query: Partial<ReplyQuery> = {}) =>
      opened.other.replies.list({ ticketId, isPublicOnly: false, direction: 'asc', limit: 100, ...query });

    it('returns every field as it was written, frozen', async () => {
      const fields: Partial<Reply> = {
        visibility: 'internal',
        author: authorOf(newReference({ name: 'Žofia 漢字' })),
        body: `One\r\ntwo\tthree\u2028four 😀 e\u0301 "quoted" \\ back ${'ß'.repeat(60_000)}`,
        updated_at: '2026-03-01T12:00:00.001Z',
        version: 7,
        isAuthorMasked: true,
      };
      const { id } = await addReplies((ticketId) => [newReply(ticketId, fields), newReply(ticketId)]);
      const [first, second] = await list(id);
      expect(first).toStrictEqual(newReply(id, { ...fields, id: first?.id ?? '' }));
      expect(second).toStrictEqual(newReply(id, { id: second?.id ?? '' }));
      if (first) expect(await find(first)).toStrictEqual(first);
      for (const part of [first, first?.author, second]) expect(Object.isFrozen(part)).toBe(true);
    });

    it('replaces a reply by its id, including its visibility', async () => {
      const reply = newReply(randomUUID());
      const ticket = await addReplies((ticket_id) => [{ ...reply, ticket_id }]);
      const edited: Reply = {
        ...reply,
        ticket_id: ticket.id,
        visibility: 'internal',
        body: 'Edited',
        version: 2,
      };
      await opened.storage.tickets.commit([changing(changed(ticket), { writtenReplies: [edited] })]);
      expect(await list(ticket.id)).toStrictEqual([edited]);
      expect(await list(ticket.id, { isPublicOnly: true })).toEqual([]);
    });

    it('removes a reply by its id and leaves the others', async () => {
      const ticket = await addReplies((id) => [newReply(id), newReply(id), newReply(id)]);
      const [first, second, third] = await list(ticket.id);
      const removedReplies = [second?.id ?? ''];
      await opened.storage.tickets.commit([changing(changed(ticket), { removedReplies })]);
      expect(await list(ticket.id)).toStrictEqual([first, third]);
      if (second) expect(await find(second)).toBeUndefined();
    });

    it('finds all replies of a list of ids, each once, and omits unknown ones', async () => {
      const tickets = [
        await addReplies((id) => [newReply(id), newReply(id)]),
        await addReplies((id) => [newReply(id)]),
      ];
      const replies = (await Promise.all(tickets.map(({ id }) => list(id)))).flat();
      const ids = replies.map(({ id }) => id);
      const found = await opened.other.replies.findAll([...ids, randomUUID(), ...ids, 'no reply']);
      const byId = (some: readonly Reply[]) => some.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      expect(byId(found)).toStrictEqual(byId(replies));
      expect(found.every((reply) => Object.isFrozen(reply))).toBe(true);
      expect(await opened.other.replies.findAll([])).toEqual([]);
    });

    it('finds a reply only under its own ticket', async () => {
      const [one, another] = [await addReplies((id) => [newReply(id)]), await addReplies()];
      const [reply] = await list(one.id);
      expect(await opened.other.replies.find(another.id, reply?.id ?? '')).toBeUndefined();
      expect(await opened.other.replies.find(one.id, randomUUID())).toBeUndefined();
      expect(await list(another.id)).toEqual([]);
      expect(await list('no ticket')).toEqual([]);
    });

    it.each(['asc', 'desc'] as const)(
      'lists them by time, then id, as a whole and in pages, %s',
      async (direction) => {
        const { id: ticketId } = await addReplies((id) =>
          Array.from({ length: 11 }, (_, i) =>
            newReply(id, {
              id: randomUUID(),
              visibility: i % 3 ? 'public' : 'internal',
              created_at: `2026-03-01T12:00:00.00${i >> 2}Z`,
            }),
          ).toSorted(() => Math.random() - 0.5),
        );
        const toKey = ({ created_at, id }: Reply) => created_at + id;
        const inOrder = (await list(ticketId)).toSorted((one, other) => (toKey(one) < toKey(other) ? -1 : 1));
        const ordered = direction === 'asc' ? inOrder : inOrder.toReversed();
        for (const isPublicOnly of [false, true]) {
          const expected = ordered.filter(({ visibility }) => !isPublicOnly || visibility === 'public');
          expect(await list(ticketId, { direction, isPublicOnly })).toStrictEqual(expected);
          const { replies } = opened.other;
          expect(await replies.count({ ticketId, isPublicOnly, limit: 100 })).toBe(expected.length);
          expect(await replies.count({ ticketId, isPublicOnly, limit: 2 })).toBe(2);
          const read: Reply[] = [];
          for (let page = await list(ticketId, { direction, isPublicOnly, limit: 3 }); page.length > 0; ) {
            expect(page.length).toBeLessThanOrEqual(3);
            read.push(...page);
            const last = page.at(-1);
            page = await list(ticketId, { direction, isPublicOnly, limit: 3, ...(last && { after: last }) });
          }
          expect(read).toStrictEqual(expected);
        }
      },
    );

    it.each([false, true])(
      'returns the newest replies of each of several tickets (public only: %s)',
      async (isPublicOnly) => {
        const some = (ticketId: string) =>
          Array.from({ length: 5 }, (_, i) =>
            newReply(ticketId, { visibility: i === 4 ? 'internal' : 'public' }),
          );
        const ids = [(await addReplies(some)).id, (await addReplies()).id, (await addReplies(some)).id];
        const expected = [];
        for (const id of ids)
          expected.push(...(await list(id, { direction: 'desc', isPublicOnly, limit: 2 })));
        const query = { ticketIds: ids, isPublicOnly, limit: 2 };
        expect(expected).toHaveLength(4);
        expect(await opened.other.replies.listNewest(query)).toStrictEqual(expected);
        expect(await opened.other.replies.listNewest({ ...query, ticketIds: [] })).toEqual([]);
      },
    );
  });
}

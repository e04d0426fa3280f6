import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { changed, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { newRequest } from '../../tests/idempotency.fixture.ts';
import { newFeedEntry } from '../feed/new-feed-entry.fixture.ts';
import { newEvent } from '../history/new-event.fixture.ts';
import { newReply } from '../replies/new-reply.fixture.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { adding, changing, purging } from './ticket-commit.fixture.ts';
import type { RecordedRequest, TicketCommit } from './ticket-commit.ts';

const committed = { outcome: 'committed' };
const stale = { outcome: 'stale' };

/** Contract of every ticket store for atomic commits. */
export function ticketCommitContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a commit', () => {
    const opened = openTwice(createDatabase);
    const commit = (commits: readonly TicketCommit[], request?: RecordedRequest) =>
      opened.storage.tickets.commit(commits, request);

    /** Reads everything stored about a ticket, with the feed of a reader who sees no other ticket. */
    async function keptOf(ticketId: string, reader: string) {
      const { tickets, replies, events, changes } = opened.other;
      const query = { ticketId, isPublicOnly: false, direction: 'asc', limit: 100 } as const;
      return {
        version: (await tickets.find(ticketId))?.ticket.version,
        replies: await replies.list(query),
        events: await events.list(query),
        changes: (await changes.list({ reader, after: 0, limit: 100 })).map(({ id }) => id),
        last: (await changes.bounds(reader)).last,
      };
    }

    const nothing = { version: undefined, replies: [], events: [], changes: [], last: 0 };

    /** Returns a commit with every part, visible to a new reader. */
    function everything(ticket: Ticket, reader: string): Parameters<typeof adding>[1] & object {
      return {
        writtenReplies: [newReply(ticket.id)],
        events: [newEvent(ticket.id)],
        feedEntries: [newFeedEntry(ticket.id, { reader })],
      };
    }

    it('writes ticket, replies, events and feed entries together', async () => {
      const [ticket, reader] = [newTicket(), randomUUID()];
      const extras = everything(ticket, reader);
      expect(await commit([adding(ticket, extras)])).toEqual(committed);
      expect(await keptOf(ticket.id, reader)).toEqual({
        version: 1,
        replies: extras.writtenReplies,
        events: extras.events,
        changes: [ticket.id],
        last: 1,
      });
    });

    it('writes all of many tickets', async () => {
      const tickets = Array.from({ length: 30 }, () => newTicket());
      const reader = randomUUID();
      await commit(tickets.slice(0, 20).map((ticket) => adding(ticket)));
      const changes = tickets
        .slice(0, 10)
        .map((ticket) => changing(changed(ticket), everything(ticket, reader)));
      const purges = tickets.slice(10, 20).map((ticket) => purging(ticket));
      const additions = tickets.slice(20).map((ticket) => adding(ticket, everything(ticket, reader)));
      expect(await commit([...changes, ...purges, ...additions])).toEqual(committed);
      const versions = await Promise.all(
        tickets.map(async ({ id }) => (await opened.other.tickets.find(id))?.ticket.version),
      );
      expect(versions).toEqual([...Array(10).fill(2), ...Array(10).fill(undefined), ...Array(10).fill(1)]);
      expect(await opened.other.changes.bounds(reader)).toEqual({ last: 20, purgedUpTo: 0 });
    });

    it.each([
      ['change', (ticket: Ticket) => changing({ ...ticket, version: 3 })],
      ['purge', (ticket: Ticket) => purging({ ...ticket, version: 2 })],
      ['change of what is not there', () => changing(changed(newTicket()))],
      ['second change of one version', (_: Ticket, one: Ticket) => changing(changed(one))],
    ])('writes nothing to any ticket when one %s is stale', async (_, toStale) => {
      const [one, another, added] = [newTicket(), newTicket(), newTicket()];
      await commit([adding(one), adding(another)]);
      const reader = randomUUID();
      const commits = [
        adding(added, everything(added, reader)),
        changing(changed(one), everything(one, reader)),
        toStale(another, one),
      ];
      for (const order of [commits, commits.toReversed()]) {
        expect(await commit(order)).toEqual(stale);
        expect(await keptOf(added.id, reader)).toEqual(nothing);
        expect(await keptOf(one.id, reader)).toEqual({ ...nothing, version: 1 });
      }
    });

    it('writes nothing to any ticket when the id of a new one is in use', async () => {
      const [taken, added, reader] = [newTicket(), newTicket(), randomUUID()];
      await commit([adding(taken)]);
      const both = [adding(added, everything(added, reader)), adding(taken, everything(taken, reader))];
      await expect(commit(both)).rejects.toMatchObject({ code: 'id_in_use' });
      expect(await keptOf(added.id, reader)).toEqual(nothing);
      expect(await keptOf(taken.id, reader)).toEqual({ ...nothing, version: 1 });
    });

    it('writes nothing when its request is replayed', async () => {
      const [ticket, reader] = [newTicket(), randomUUID()];
      const request = { records: [newRequest()], answer: 'done', ticketId: ticket.id };
      await commit([adding(ticket, everything(ticket, reader))], request);
      const before = await keptOf(ticket.id, reader);
      const again = changing(changed(ticket), everything(ticket, reader));
      expect(await commit([again], request)).toEqual({ outcome: 'replayed', answer: 'done' });
      expect(await keptOf(ticket.id, reader)).toEqual(before);
    });

    it('writes only the parts of the winner when changes of one version race', async () => {
      const [ticket, reader] = [newTicket(), randomUUID()];
      await commit([adding(ticket)]);
      const racers = Array.from({ length: 10 }, () => everything(ticket, reader));
      const outcomes = await Promise.all(
        racers.map((extras, i) =>
          (i % 2 === 0 ? opened.storage : opened.other).tickets.commit([changing(changed(ticket), extras)]),
        ),
      );
      const winner = racers[outcomes.findIndex(({ outcome }) => outcome === 'committed')];
      expect(await keptOf(ticket.id, reader)).toEqual({
        version: 2,
        replies: winner?.writtenReplies,
        events: winner?.events,
        changes: [ticket.id],
        last: 1,
      });
    });

    it('rejects a reply whose id is in use by any ticket', async () => {
      const [one, another, reader] = [newTicket(), newTicket(), randomUUID()];
      const reply = newReply(one.id);
      await commit([adding(one, { writtenReplies: [reply] }), adding(another)]);
      for (const ticket of [one, another]) {
        const extras = {
          ...everything(ticket, reader),
          writtenReplies: [{ ...reply, ticket_id: ticket.id }],
        };
        const reusing = commit([changing(changed(ticket), extras)]);
        await expect(reusing).rejects.toMatchObject({ code: 'id_in_use' });
      }
      expect(await keptOf(another.id, reader)).toEqual({ ...nothing, version: 1 });
      expect((await keptOf(one.id, reader)).replies).toEqual([reply]);
    });

    it('rejects a chosen id that was ever in use', async () => {
      const [purged, kept] = [newTicket(), newTicket()];
      const [ofPurged, removed] = [newReply(purged.id), newReply(kept.id)];
      await commit([
        adding(purged, { writtenReplies: [ofPurged] }),
        adding(kept, { writtenReplies: [removed] }),
      ]);
      await commit([purging(purged), changing(changed(kept), { removedReplies: [removed.id] })]);
      const ticket = changed(changed(kept));
      for (const { id } of [ofPurged, removed]) {
        const writtenReplies = [newReply(kept.id, { id })];
        const reusing = commit([changing(ticket, { writtenReplies, chosenId: id })]);
        await expect(reusing, id).rejects.toMatchObject({ code: 'id_in_use' });
      }
      const reusing = commit([adding(newTicket({ id: purged.id }), { chosenId: purged.id })]);
      await expect(reusing).rejects.toMatchObject({ code: 'id_in_use' });
      const fresh = newTicket();
      expect(await commit([adding(fresh, { chosenId: fresh.id })])).toEqual(committed);
    });

    it('creates one of racing tickets with the same chosen id', async () => {
      const { id } = newTicket();
      const racers = Array.from({ length: 10 }, (_, i) =>
        (i % 2 === 0 ? opened.storage : opened.other).tickets
          .commit([adding(newTicket({ id, subject: `by ${i}` }), { chosenId: id })])
          .then(
            ({ outcome }) => outcome,
            (err) => err.code,
          ),
      );
      const outcomes = await Promise.all(racers);
      expect(outcomes.toSorted()).toEqual(['committed', ...Array(9).fill('id_in_use')]);
      const subject = `by ${outcomes.indexOf('committed')}`;
      expect((await opened.other.tickets.find(id))?.ticket.subject).toBe(subject);
    });

    it('fails alone when others are made at the same time', async () => {
      const [stored, purged] = [newTicket(), newTicket()];
      await commit([adding(stored)]);
      await commit([adding(purged)]);
      await commit([purging(purged)]);
      const fine = Array.from({ length: 5 }, () => newTicket());
      const stale = changing({ ...stored, version: 7 }, everything(stored, randomUUID()));
      const retired = adding(purged, { chosenId: purged.id });
      const status = { kind: 'status', id: 'never_defined' } as const;
      const unknown = adding(newTicket(), { chosen: [status] });
      const results = await Promise.allSettled([
        ...fine.map((ticket) => commit([adding(ticket)])),
        ...[stale, adding(stored), retired, unknown, changing(changed(stored))].map((each) => commit([each])),
      ]);
      const outcomes = results.map((result) =>
        result.status === 'fulfilled' ? result.value.outcome : result.reason.code,
      );
      expect(outcomes).toEqual([
        ...fine.map(() => 'committed'),
        ...['stale', 'id_in_use', 'id_in_use', 'validation_failed', 'committed'],
      ]);
      const ids = [...fine, stored, purged].map(({ id }) => id);
      const found = await opened.other.tickets.findAll(ids);
      expect(found.map(({ ticket }) => [ticket.id, ticket.version]).toSorted()).toEqual(
        [...fine.map(({ id }) => [id, 1]), [stored.id, 2]].toSorted(),
      );
    });

    it('that purges leaves only the feed entry of the ticket, and nothing for a new ticket with its id', async () => {
      const [ticket, reader] = [newTicket({ tags: ['a'] }), randomUUID()];
      await commit([adding(ticket, everything(ticket, reader))]);
      expect((await keptOf(ticket.id, reader)).last).toBe(1);
      await commit([
        purging(ticket, { feedEntries: [newFeedEntry(ticket.id, { reader, isDeleted: true })] }),
      ]);
      const purged = { ...nothing, changes: [ticket.id], last: 2 };
      expect(await keptOf(ticket.id, reader)).toEqual(purged);
      await commit([adding(ticket)]);
      expect(await keptOf(ticket.id, reader)).toEqual({ ...purged, version: 1 });
    });
  });
}

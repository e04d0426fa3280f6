import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { adding } from '../commit/ticket-commit.fixture.ts';
import type { Change, FeedEntry } from './change.ts';
import { newFeedEntry } from './new-feed-entry.fixture.ts';

/** Contract of the feeds of a change store. */
export function changeStoreContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a change feed', () => {
    const opened = openTwice(createDatabase);
    /** Commits a new ticket with the given feed entries. */
    const commitEntries = (...feedEntries: FeedEntry[]) =>
      opened.storage.tickets.commit([adding(newTicket(), { feedEntries })]);
    const list = (reader: string, after = 0, limit = 100) =>
      opened.other.changes.list({ reader, after, limit });

    it('is empty for a new reader', async () => {
      const reader = randomUUID();
      expect(await list(reader)).toEqual([]);
      expect(await opened.other.changes.bounds(reader)).toEqual({ last: 0, purgedUpTo: 0 });
    });

    it('returns every member of the entries, in order and with increasing positions', async () => {
      const [reader, ticketId, replyId] = [randomUUID(), randomUUID(), randomUUID()];
      const feedEntries: FeedEntry[] = [
        newFeedEntry(ticketId, { reader }),
        { reader, resource: 'reply', id: replyId, ticketId, isDeleted: true },
      ];
      await commitEntries(...feedEntries);
      const changes = await list(reader);
      expect(changes.map(({ position: _, at: __, ...entry }) => entry)).toStrictEqual(feedEntries);
      expect(changes[0]?.position).toBe(1);
      for (const { at } of changes) expect(new Date(at).toISOString()).toBe(at);
      expectIncreasing(changes);
      expect(await opened.other.changes.bounds(reader)).toEqual({
        last: changes.at(-1)?.position,
        purgedUpTo: 0,
      });
    });

    it('keeps only the latest change of each resource, at its new position', async () => {
      const [reader, a, b] = [randomUUID(), randomUUID(), randomUUID()];
      for (const id of [a, b, a, a]) await commitEntries(newFeedEntry(id, { reader }));
      await commitEntries(newFeedEntry(b, { reader, isDeleted: true }));
      expect((await list(reader)).map(({ id, isDeleted }) => [id, isDeleted])).toEqual([
        [a, false],
        [b, true],
      ]);
      await commitEntries({ ...newFeedEntry(a, { reader }), resource: 'reply' });
      expect((await list(reader)).map(({ resource }) => resource)).toEqual(['ticket', 'ticket', 'reply']);
    });

    it('can be read in pages', async () => {
      const reader = randomUUID();
      const ids = Array.from({ length: 7 }, () => randomUUID());
      for (const id of ids) await commitEntries(newFeedEntry(id, { reader }));
      const read: Change[] = [];
      for (let page = await list(reader, 0, 3); page.length > 0; ) {
        expect(page.length).toBeLessThanOrEqual(3);
        read.push(...page);
        page = await list(reader, page.at(-1)?.position, 3);
      }
      expect(read.map(({ id }) => id)).toEqual(ids);
      expectIncreasing(read);
    });

    it('does not change with the feeds of other readers', async () => {
      const [reader, other] = [randomUUID(), randomUUID()];
      await commitEntries(newFeedEntry(randomUUID(), { reader }));
      for (let i = 0; i < 3; i++)
        await commitEntries(newFeedEntry(randomUUID(), { reader: other }), newFeedEntry(randomUUID()));
      expect(await opened.other.changes.bounds(reader)).toEqual({ last: 1, purgedUpTo: 0 });
      await commitEntries(newFeedEntry(randomUUID(), { reader }));
      expect((await list(reader)).map(({ position }) => position)).toEqual([1, 2]);
    });

    it('gives concurrent commits distinct positions', async () => {
      const reader = randomUUID();
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 === 0 ? opened.storage : opened.other).tickets.commit([
            adding(newTicket(), { feedEntries: [newFeedEntry(randomUUID(), { reader })] }),
          ]),
        ),
      );
      const positions = (await list(reader)).map(({ position }) => position);
      expect(positions).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    });

    it('purges tombstones before a time, returns the position of the last one, and keeps the rest', async () => {
      const [reader, untouched] = [randomUUID(), randomUUID()];
      const [existing, deletedFirst, deletedLater] = [randomUUID(), randomUUID(), randomUUID()];
      await commitEntries(newFeedEntry(existing, { reader }), newFeedEntry(existing, { reader: untouched }));
      await commitEntries(newFeedEntry(deletedFirst, { reader, isDeleted: true }));
      await commitEntries(newFeedEntry(deletedLater, { reader, isDeleted: true }));
      await commitEntries(newFeedEntry(randomUUID(), { reader }));
      const before = await list(reader);
      expect(await opened.other.changes.purgeTombstones(new Date(0), 10)).toBe(0);
      expect(await list(reader)).toEqual(before);

      while ((await opened.other.changes.purgeTombstones(new Date(Date.now() + 60_000), 1)) > 0);
      const after = await list(reader);
      expect(after).toEqual([before[0], before[3]]);
      expect(await opened.other.changes.bounds(reader)).toEqual({
        last: before[3]?.position,
        purgedUpTo: before[2]?.position,
      });
      expect(await opened.other.changes.bounds(untouched)).toEqual({ last: 1, purgedUpTo: 0 });
    });

    it('purges at most the given number at once', async () => {
      const reader = randomUUID();
      for (let i = 0; i < 5; i++)
        await commitEntries(newFeedEntry(randomUUID(), { reader, isDeleted: true }));
      const later = new Date(Date.now() + 60_000);
      const counts: number[] = [];
      for (let i = 0; i < 3; i++) counts.push(await opened.other.changes.purgeTombstones(later, 2));
      expect(counts).toEqual([2, 2, 1]);
      expect(await list(reader)).toEqual([]);
      expect(await opened.other.changes.bounds(reader)).toEqual({ last: 5, purgedUpTo: 5 });
    });

    it('restarts after every position and keeps its changes', async () => {
      const [reader, id, next] = [randomUUID(), randomUUID(), randomUUID()];
      await commitEntries(newFeedEntry(id, { reader }));
      const before = await list(reader);
      await opened.other.changes.restart();
      const { last, purgedUpTo } = await opened.other.changes.bounds(reader);
      expect(purgedUpTo).toBe(last);
      expect(last).toBeGreaterThan(1_000_000);
      await commitEntries(newFeedEntry(next, { reader }));
      const [existing, added] = await list(reader);
      expect([existing]).toEqual(before);
      expect(added).toMatchObject({ id: next, position: last + 1 });
    });

    it('has the same epoch in every process until it is restarted', async () => {
      const epoch = await opened.storage.changes.epoch();
      expect(epoch).toMatch(/^[0-9a-f]{10}$/);
      expect(await opened.other.changes.epoch()).toBe(epoch);
      await opened.other.changes.restart();
      const renewed = await opened.storage.changes.epoch();
      expect(renewed).not.toBe(epoch);
      expect(await opened.other.changes.epoch()).toBe(renewed);
    });

    it('replaces the tombstone of a restored resource', async () => {
      const [reader, id] = [randomUUID(), randomUUID()];
      await commitEntries(newFeedEntry(id, { reader, isDeleted: true }));
      expect(await list(reader)).toMatchObject([{ position: 1, isDeleted: true }]);
      await commitEntries(newFeedEntry(id, { reader }));
      await opened.other.changes.purgeTombstones(new Date(Date.now() + 60_000), 100);
      expect((await list(reader)).map(({ isDeleted }) => isDeleted)).toEqual([false]);
      expect(await opened.other.changes.bounds(reader)).toEqual({ last: 2, purgedUpTo: 0 });
    });
  });
}

function expectIncreasing(changes: readonly Change[]): void {
  const positions = changes.map(({ position }) => position);
  expect(positions).toEqual([...new Set(positions)].toSorted((one, another) => one - another));
}

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openTwice } from '../storage/open-twice.fixture.ts';
import type { TestDatabase } from '../storage/test-database.fixture.ts';
import { newTicket } from '../tickets/new-ticket.fixture.ts';
import { adding } from '../tickets/ticket-commit.fixture.ts';
import type { Change, Sighting } from './change.ts';
import { newSighting } from './new-sighting.fixture.ts';

/** What every store of changes promises of each feed. */
export function changeStoreContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a change feed', () => {
    const opened = openTwice(createDatabase);
    /** Commits something that is seen like this. */
    const see = (...sightings: Sighting[]) =>
      opened.storage.tickets.commit([adding(newTicket(), { sightings })]);
    const list = (reader: string, after = 0, limit = 100) =>
      opened.other.changes.list({ reader, after, limit });

    it('of nobody is empty', async () => {
      const reader = randomUUID();
      expect(await list(reader)).toEqual([]);
      expect(await opened.other.changes.bounds(reader)).toEqual({ last: 0, forgotten: 0 });
    });

    it('gives back every member as it was seen, in order, under growing positions', async () => {
      const [reader, ticketId, replyId] = [randomUUID(), randomUUID(), randomUUID()];
      const sightings: Sighting[] = [
        newSighting(ticketId, { reader }),
        { reader, resource: 'reply', id: replyId, ticketId, isGone: true },
      ];
      await see(...sightings);
      const changes = await list(reader);
      expect(changes.map(({ position: _, at: __, ...sighting }) => sighting)).toStrictEqual(sightings);
      expect(changes[0]?.position).toBe(1);
      for (const { at } of changes) expect(new Date(at).toISOString()).toBe(at);
      expectToGrow(changes);
      expect(await opened.other.changes.bounds(reader)).toEqual({
        last: changes.at(-1)?.position,
        forgotten: 0,
      });
    });

    it('keeps the latest change of each resource, behind those before it', async () => {
      const [reader, a, b] = [randomUUID(), randomUUID(), randomUUID()];
      for (const id of [a, b, a, a]) await see(newSighting(id, { reader }));
      await see(newSighting(b, { reader, isGone: true }));
      expect((await list(reader)).map(({ id, isGone }) => [id, isGone])).toEqual([
        [a, false],
        [b, true],
      ]);
      await see({ ...newSighting(a, { reader }), resource: 'reply' });
      expect((await list(reader)).map(({ resource }) => resource)).toEqual(['ticket', 'ticket', 'reply']);
    });

    it('is read page after page', async () => {
      const reader = randomUUID();
      const ids = Array.from({ length: 7 }, () => randomUUID());
      for (const id of ids) await see(newSighting(id, { reader }));
      const read: Change[] = [];
      for (let page = await list(reader, 0, 3); page.length > 0; ) {
        expect(page.length).toBeLessThanOrEqual(3);
        read.push(...page);
        page = await list(reader, page.at(-1)?.position, 3);
      }
      expect(read.map(({ id }) => id)).toEqual(ids);
      expectToGrow(read);
    });

    it('does not move when others see something', async () => {
      const [reader, other] = [randomUUID(), randomUUID()];
      await see(newSighting(randomUUID(), { reader }));
      for (let i = 0; i < 3; i++)
        await see(newSighting(randomUUID(), { reader: other }), newSighting(randomUUID()));
      expect(await opened.other.changes.bounds(reader)).toEqual({ last: 1, forgotten: 0 });
      await see(newSighting(randomUUID(), { reader }));
      expect((await list(reader)).map(({ position }) => position)).toEqual([1, 2]);
    });

    it('gives each of racing commits a place of its own', async () => {
      const reader = randomUUID();
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 === 0 ? opened.storage : opened.other).tickets.commit([
            adding(newTicket(), { sightings: [newSighting(randomUUID(), { reader })] }),
          ]),
        ),
      );
      const positions = (await list(reader)).map(({ position }) => position);
      expect(positions).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    });

    it('forgets what was gone before a time, tells where, and keeps the rest', async () => {
      const [reader, untouched] = [randomUUID(), randomUUID()];
      const [kept, goneFirst, goneLater] = [randomUUID(), randomUUID(), randomUUID()];
      await see(newSighting(kept, { reader }), newSighting(kept, { reader: untouched }));
      await see(newSighting(goneFirst, { reader, isGone: true }));
      await see(newSighting(goneLater, { reader, isGone: true }));
      await see(newSighting(randomUUID(), { reader }));
      const before = await list(reader);
      expect(await opened.other.changes.forgetGone(new Date(0), 10)).toBe(0);
      expect(await list(reader)).toEqual(before);

      while ((await opened.other.changes.forgetGone(new Date(Date.now() + 60_000), 1)) > 0);
      const after = await list(reader);
      expect(after).toEqual([before[0], before[3]]);
      expect(await opened.other.changes.bounds(reader)).toEqual({
        last: before[3]?.position,
        forgotten: before[2]?.position,
      });
      expect(await opened.other.changes.bounds(untouched)).toEqual({ last: 1, forgotten: 0 });
    });

    it('forgets no more at once than it is told to', async () => {
      const reader = randomUUID();
      for (let i = 0; i < 5; i++) await see(newSighting(randomUUID(), { reader, isGone: true }));
      const later = new Date(Date.now() + 60_000);
      const counts: number[] = [];
      for (let i = 0; i < 3; i++) counts.push(await opened.other.changes.forgetGone(later, 2));
      expect(counts).toEqual([2, 2, 1]);
      expect(await list(reader)).toEqual([]);
      expect(await opened.other.changes.bounds(reader)).toEqual({ last: 5, forgotten: 5 });
    });

    it('is restarted behind every position, where it goes on with all that it has', async () => {
      const [reader, id, next] = [randomUUID(), randomUUID(), randomUUID()];
      await see(newSighting(id, { reader }));
      const before = await list(reader);
      await opened.other.changes.restart();
      const { last, forgotten } = await opened.other.changes.bounds(reader);
      expect(forgotten).toBe(last);
      expect(last).toBeGreaterThan(1_000_000);
      await see(newSighting(next, { reader }));
      const [kept, added] = await list(reader);
      expect([kept]).toEqual(before);
      expect(added).toMatchObject({ id: next, position: last + 1 });
    });

    it('has one epoch for every process, until it is restarted', async () => {
      const epoch = await opened.storage.changes.epoch();
      expect(epoch).toMatch(/^[0-9a-f]{10}$/);
      expect(await opened.other.changes.epoch()).toBe(epoch);
      await opened.other.changes.restart();
      const renewed = await opened.storage.changes.epoch();
      expect(renewed).not.toBe(epoch);
      expect(await opened.other.changes.epoch()).toBe(renewed);
    });

    it('shows what is there again as it is, though it was gone', async () => {
      const [reader, id] = [randomUUID(), randomUUID()];
      await see(newSighting(id, { reader, isGone: true }));
      await see(newSighting(id, { reader }));
      await opened.other.changes.forgetGone(new Date(Date.now() + 60_000), 100);
      expect((await list(reader)).map(({ isGone }) => isGone)).toEqual([false]);
      expect(await opened.other.changes.bounds(reader)).toEqual({ last: 2, forgotten: 0 });
    });
  });
}

function expectToGrow(changes: readonly Change[]): void {
  const positions = changes.map(({ position }) => position);
  expect(positions).toEqual([...new Set(positions)].toSorted((one, another) => one - another));
}

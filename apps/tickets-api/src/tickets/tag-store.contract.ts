import { describe, expect, it } from 'vitest';
import { openTwice } from '../storage/open-twice.fixture.ts';
import type { TestDatabase } from '../storage/test-database.fixture.ts';
import { changed, newTicket } from './new-ticket.fixture.ts';
import type { TagCount, TagQuery } from './tag-store.ts';
import { adding, changing, purging } from './ticket-commit.fixture.ts';

/** What every store of tags promises. Each test has tags of its own, told by what they begin with. */
export function tagStoreContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a tag store', () => {
    const opened = openTwice(createDatabase);
    const list = async (query: Partial<TagQuery>) => [
      ...(await opened.other.tags.list({ limit: 100, ...query })),
    ];
    const add = (...tags: readonly string[][]) =>
      opened.storage.tickets.commit(tags.map((each) => adding(newTicket({ tags: each }))));

    it('counts each tag of the tickets that are there, whatever becomes of them', async () => {
      const ticket = newTicket({ tags: ['life-a', 'life-b'] });
      const counts = async () =>
        (await list({ prefix: 'life-' })).map(({ name, count }) => `${name} ${count}`);
      await opened.storage.tickets.commit([adding(ticket), adding(newTicket({ tags: ['life-b'] }))]);
      expect(await counts()).toEqual(['life-b 2', 'life-a 1']);
      const other = changed(ticket, { tags: ['life-b', 'life-c'] });
      await opened.other.tickets.commit([changing(other)]);
      expect(await counts()).toEqual(['life-b 2', 'life-c 1']);
      const deleted = changed(other, { deleted_at: '2026-03-02T00:00:00.000Z' });
      await opened.storage.tickets.commit([changing(deleted)]);
      expect(await counts()).toEqual(['life-b 1']);
      const restored = changed(deleted, { deleted_at: null });
      await opened.storage.tickets.commit([changing(restored)]);
      expect(await counts()).toEqual(['life-b 2', 'life-c 1']);
      await opened.storage.tickets.commit([purging(restored)]);
      expect(await counts()).toEqual(['life-b 1']);
    });

    it('counts nothing of a commit that writes nothing', async () => {
      const ticket = newTicket({ tags: ['stale-a'] });
      await opened.storage.tickets.commit([adding(ticket)]);
      const next = changed(ticket, { tags: ['stale-b'] });
      const stale = { ...changing(next), expectedVersion: 7 };
      const outcome = await opened.storage.tickets.commit([adding(newTicket({ tags: ['stale-c'] })), stale]);
      expect(outcome).toEqual({ outcome: 'stale' });
      expect(await list({ prefix: 'stale-' })).toEqual([{ name: 'stale-a', count: 1 }]);
    });

    it('lists the most frequent first and equals by code points, whole and page after page', async () => {
      const names = ['page-z', 'page-é', 'page-Z', 'page-漢', 'page-😀', 'page-\u{ffee}', 'page-a'];
      await add(names, ['page-a', 'page-z'], ['page-z']);
      const byCodePoints = ['page-Z', 'page-é', 'page-漢', 'page-\u{ffee}', 'page-😀'];
      const expected = [
        { name: 'page-z', count: 3 },
        { name: 'page-a', count: 2 },
        ...byCodePoints.map((name) => ({ name, count: 1 })),
      ];
      expect(await list({ prefix: 'page-' })).toEqual(expected);
      const paged: TagCount[] = [];
      for (;;) {
        const after = paged.at(-1);
        const page = await list({ prefix: 'page-', limit: 2, ...(after && { after }) });
        if (page.length === 0) break;
        paged.push(...page);
      }
      expect(paged).toEqual(expected);
    });

    it('takes a prefix for the text that it is, in its case, and no pattern', async () => {
      await add(['pre.fix', 'pre%fix', 'pre_fix', 'pre*fix', 'prexfix', 'PRE.fix', 'pre.']);
      const found = async (prefix: string) => (await list({ prefix })).map(({ name }) => name);
      expect(await found('pre.')).toEqual(['pre.', 'pre.fix']);
      for (const prefix of ['pre%', 'pre_', 'pre*']) expect(await found(prefix)).toEqual([`${prefix}fix`]);
      expect(await found('PRE')).toEqual(['PRE.fix']);
      expect(await found('[pre]')).toEqual([]);
    });

    it('counts all of racing commits, of whatever process', async () => {
      const commits = Array.from({ length: 10 }, (_, i) => {
        const { tickets } = i % 2 ? opened.storage : opened.other;
        return tickets.commit([adding(newTicket({ tags: ['race', `race-${i}`] }))]);
      });
      await Promise.all(commits);
      const [most, ...others] = await list({ prefix: 'race' });
      expect(most).toEqual({ name: 'race', count: 10 });
      expect(others.map(({ count }) => count)).toEqual(Array.from({ length: 10 }, () => 1));
    });
  });
}

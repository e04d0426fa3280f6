import { describe, expect, it } from 'vitest';
import { changed, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { adding, changing, purging } from '../commit/ticket-commit.fixture.ts';
import type { TagCount, TagQuery, TagSort } from './tag-store.ts';

const mostFrequentFirst: TagSort = { field: 'count', direction: 'desc' };
const initial = { count: 'desc', name: 'asc' } as const;
const sorts = (['count', 'name'] as const).flatMap((field) =>
  (['asc', 'desc'] as const).map((direction) => ({ field, direction })),
);

/** Names sorted by code point. */
function byName(one: TagCount, other: TagCount): number {
  return Buffer.compare(Buffer.from(one.name), Buffer.from(other.name));
}

/** Contract of every tag store. Each test uses tags with its own prefix. */
export function tagStoreContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a tag store', () => {
    const opened = openTwice(createDatabase);
    const list = async (query: Partial<TagQuery>) => [
      ...(await opened.other.tags.list({ sort: mostFrequentFirst, limit: 100, ...query })),
    ];
    const add = (...tags: readonly string[][]) =>
      opened.storage.tickets.commit(tags.map((each) => adding(newTicket({ tags: each }))));

    it('counts the tags of tickets through all their changes', async () => {
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

    it('leaves the counts unchanged when a commit writes nothing', async () => {
      const ticket = newTicket({ tags: ['stale-a'] });
      await opened.storage.tickets.commit([adding(ticket)]);
      const next = changed(ticket, { tags: ['stale-b'] });
      const stale = { ...changing(next), expectedVersion: 7 };
      const outcome = await opened.storage.tickets.commit([adding(newTicket({ tags: ['stale-c'] })), stale]);
      expect(outcome).toEqual({ outcome: 'stale' });
      expect(await list({ prefix: 'stale-' })).toEqual([{ name: 'stale-a', count: 1 }]);
    });

    it.each(sorts)(
      'lists them by $field in order of code points, $direction, whole and in pages',
      async (sort) => {
        const prefix = `${sort.field}-${sort.direction}-`;
        const toName = (end: string) => prefix + end;
        const byCodePoints = ['Z', 'é', '漢', '\u{ffee}', '😀'].map(toName);
        await add([...byCodePoints, toName('a'), toName('z')].toReversed());
        await add(['a', 'z'].map(toName), [toName('z')]);
        const byCount = [
          { name: toName('z'), count: 3 },
          { name: toName('a'), count: 2 },
          ...byCodePoints.map((name) => ({ name, count: 1 })),
        ];
        const inOrder = sort.field === 'count' ? byCount : byCount.toSorted(byName);
        const expected = sort.direction === initial[sort.field] ? inOrder : inOrder.toReversed();
        expect(await list({ prefix, sort })).toEqual(expected);
        const paged: TagCount[] = [];
        for (let page = await list({ prefix, sort, limit: 2 }); page.length > 0; ) {
          paged.push(...page);
          page = await list({ prefix, sort, limit: 2, after: paged.at(-1) });
        }
        expect(paged).toEqual(expected);
      },
    );

    it('counts tags up to a limit', async () => {
      await add(['sum-a', 'sum-b', 'sum-é']);
      const { tags } = opened.other;
      expect(await tags.count({ prefix: 'sum-', limit: 100 })).toBe(3);
      expect(await tags.count({ prefix: 'sum-', limit: 2 })).toBe(2);
      expect(await tags.count({ prefix: 'none-', limit: 2 })).toBe(0);
      expect(await tags.count({ limit: 100 })).toBe((await list({})).length);
    });

    it('matches a prefix literally and case-sensitively, not as a pattern', async () => {
      await add(['pre.fix', 'pre%fix', 'pre_fix', 'pre*fix', 'prexfix', 'PRE.fix', 'pre.']);
      const found = async (prefix: string) => (await list({ prefix })).map(({ name }) => name);
      expect(await found('pre.')).toEqual(['pre.', 'pre.fix']);
      for (const prefix of ['pre%', 'pre_', 'pre*']) expect(await found(prefix)).toEqual([`${prefix}fix`]);
      expect(await found('PRE')).toEqual(['PRE.fix']);
      expect(await found('[pre]')).toEqual([]);
    });

    it('counts all racing commits of every process', async () => {
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

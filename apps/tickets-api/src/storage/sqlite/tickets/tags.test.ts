import { describe, expect, it } from 'vitest';
import type { TagQuery } from '../../../helpdesk/tags/tag-store.ts';
import { useExplain } from '../explained.fixture.ts';
import { toTagStatement } from './tags.ts';

describe('toTagStatement', () => {
  const planOf = useExplain();
  const after = { name: 'printer', count: 7 };
  const limit = 50;

  it.each([
    ['count', 'asc', 'count>?'],
    ['count', 'desc', 'count<?'],
    ['name', 'asc', 'tag>?'],
    ['name', 'desc', 'tag<?'],
  ] as const)(
    'uses one index in order from the position of the page, by %s %s',
    (field, direction, bound) => {
      const plan = planOf(toTagStatement({ sort: { field, direction }, after, limit }));
      const index = field === 'count' ? 'COVERING INDEX tag_counts_by_count' : 'PRIMARY KEY';
      expect(plan).toEqual([`SEARCH tag_counts USING ${index} (${bound})`]);
    },
  );

  it.each(['asc', 'desc'] as const)('uses the index of names for a prefix, %s', (direction) => {
    const query: TagQuery = { prefix: 'pri', sort: { field: 'name', direction }, limit };
    const plan = planOf(toTagStatement(query));
    expect(plan).toEqual(['SEARCH tag_counts USING PRIMARY KEY (tag>? AND tag<?)']);
    expect(planOf(toTagStatement({ ...query, after }))).toHaveLength(1);
  });
});

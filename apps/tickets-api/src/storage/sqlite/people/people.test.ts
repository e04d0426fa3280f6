import { describe, expect, it } from 'vitest';
import { type PersonSort, personSortFields } from '../../../helpdesk/people/person-order.ts';
import { useExplain } from '../explained.fixture.ts';
import { toPageStatement } from './people.ts';

describe('a page of people', () => {
  const explain = useExplain();
  const after = { value: 'ada', id: '00000000-0000-7000-8000-000000000000' };
  const sorts = personSortFields.flatMap((field): PersonSort[] => [
    { field, direction: 'asc' },
    { field, direction: 'desc' },
  ]);

  it.each(sorts)('walks an index in the order of $field $direction', (sort) => {
    for (const roles of [undefined, ['agent', 'admin'] as const, [null]]) {
      const steps = explain(toPageStatement({ sort, roles, after, limit: 50 }));
      expect(steps.filter((step) => /^SCAN people|TEMP B-TREE/.test(step))).toEqual([]);
      const searches = steps.filter((step) => step.startsWith('SEARCH people'));
      expect(searches.length).toBeGreaterThan(0);
      for (const step of searches) expect(step).toMatch(roles ? /people_by_role_.*\(role=\?/ : /INDEX/);
    }
  });

  it('reads no people to search them by a long prefix without roles, except those of the page', () => {
    const query = { prefix: 'customer4', after: { value: 'ada', id: after.id }, limit: 50 };
    const searches = (roles: ['agent'] | undefined) =>
      explain(toPageStatement({ ...query, roles })).filter((step) => step.startsWith('SEARCH people '));
    expect(searches(undefined)).toHaveLength(1);
    expect(searches(['agent'])).toHaveLength(2);
  });
});

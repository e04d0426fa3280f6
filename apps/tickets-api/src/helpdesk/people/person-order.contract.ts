import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import type { Person, Role } from './person.ts';
import { byEmail, type PersonSort, personSortFields, toPersonPosition } from './person-order.ts';
import { firstPersonRecord, nextPersonRecord, toTombstone } from './person-record.ts';
import type { PersonQuery } from './person-store.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute));
const names = ['ada', 'Bob', 'Žofia', 'BOB', null, 'x'.repeat(60), `${'x'.repeat(50)}a`, null];
const roles: readonly (Role | null)[] = ['customer', 'agent', null, 'admin'];

/** Contract of lists of people in every order. */
export function personOrderContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a list of people', () => {
    const opened = openTwice(createDatabase);
    let all: Promise<readonly Person[]> | undefined;

    /** Adds people who share names, times and roles, some without an address or a name, and one who was merged. */
    async function addAll(): Promise<readonly Person[]> {
      const { people } = opened.storage;
      const records = Array.from({ length: 24 }, (_, i) =>
        firstPersonRecord(
          {
            id: randomUUID(),
            email: i % 5 === 0 ? null : `quill${(i * 7) % 24}@example.com`,
            name: names[i % names.length] ?? null,
            role: roles[i % 3 === 0 ? 0 : i % roles.length] ?? null,
          },
          at(i % 4),
        ),
      );
      for (const record of records) await people.write([{ record }]);
      const [merged, changed, ...others] = records;
      if (!merged || !changed) throw new Error('There are people.');
      const tombstone = toTombstone(merged, changed.person.id, at(9));
      const next = nextPersonRecord(changed, { phone: '1' }, at(8));
      await people.write([tombstone, next].map((record) => ({ expectedVersion: 1, record })));
      return [next, ...others].map(({ person }) => person);
    }

    async function list(query: Partial<PersonQuery>): Promise<readonly string[]> {
      const found = await opened.other.people.list({ limit: 100, ...query });
      return found.map(({ person }) => person.id);
    }

    const sorts = personSortFields.flatMap((field): PersonSort[] => [
      { field, direction: 'asc' },
      { field, direction: 'desc' },
    ]);
    const filters: readonly Partial<PersonQuery>[] = [
      {},
      { roles: ['agent'] },
      { roles: [null] },
      { roles: ['customer', 'agent', 'admin'] },
      { prefix: 'qu' },
      { prefix: 'quill1' },
      { prefix: 'quill12' },
    ];
    const cases = sorts.flatMap((sort) =>
      filters.filter(({ prefix }) => !prefix || sort.field === 'email').map((filter) => ({ sort, filter })),
    );

    it.each(cases)('is in order, as a whole and in pages: $sort of $filter', async ({ sort, filter }) => {
      all ??= addAll();
      const expected = toExpected(await all, filter, sort);
      expect(expected.length).toBeGreaterThan(0);
      expect(await list({ ...filter, sort })).toEqual(expected.map(({ id }) => id));
      const read: string[] = [];
      let after: PersonQuery['after'];
      for (;;) {
        const page = await opened.other.people.list({ ...filter, sort, after, limit: 2 });
        read.push(...page.map(({ person }) => person.id));
        const last = page.at(-1);
        if (!last) break;
        after = toPersonPosition(last.person, sort);
      }
      expect(read).toEqual(expected.map(({ id }) => id));
      const { sort: _, ...query } = { limit: 100, ...filter, sort };
      expect(await opened.other.people.count(query)).toBe(expected.length);
    });
  });
}

function toExpected(
  people: readonly Person[],
  { roles: wanted, prefix = '' }: Partial<PersonQuery>,
  sort: PersonSort = byEmail,
): readonly Person[] {
  const sign = sort.direction === 'asc' ? 1 : -1;
  return people
    .filter(({ role }) => !wanted || wanted.includes(role))
    .filter(({ email }) => prefix === '' || email?.startsWith(prefix))
    .toSorted((one, other) => sign * compare(one, other, sort));
}

function compare(one: Person, other: Person, sort: PersonSort): number {
  const [a, b] = [one, other].map((person) => toPersonPosition(person, sort)) as [Position, Position];
  return Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)) || (a.id < b.id ? -1 : 1);
}

type Position = ReturnType<typeof toPersonPosition>;

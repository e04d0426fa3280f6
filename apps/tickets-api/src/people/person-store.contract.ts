import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openTwice } from '../storage/open-twice.fixture.ts';
import type { TestDatabase } from '../storage/test-database.fixture.ts';
import type { Person } from './person.ts';
import type { PersonQuery } from './person-store.ts';

/** What every store of people promises. */
export function personStoreContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a person store', () => {
    const opened = openTwice(createDatabase);
    const ensure = (person: Person) => opened.storage.people.ensure(person);

    it('gives back every field as it was written, and nobody can change it', async () => {
      for (const name of ['Žofia Ángel 漢字 😀', null]) {
        const person = newPerson({ name });
        expect(await ensure(person)).toStrictEqual(person);
        for (const found of [
          await opened.other.people.find(person.id),
          await opened.other.people.findByEmail(person.email),
          await opened.other.people.ensure(newPerson({ email: person.email })),
        ]) {
          expect(found).toStrictEqual(person);
          expect(Object.isFrozen(found)).toBe(true);
        }
      }
    });

    it('finds several people at once, and leaves out whom it does not know', async () => {
      const [one, other] = [await ensure(newPerson({})), await ensure(newPerson({}))];
      const found = await opened.other.people.findAll([one.id, randomUUID(), other.id]);
      expect(new Set(found.map(({ id }) => id))).toEqual(new Set([one.id, other.id]));
      expect(await opened.other.people.findAll([])).toEqual([]);
    });

    it('finds nobody whom it does not know', async () => {
      expect(await opened.other.people.find(randomUUID())).toBeUndefined();
      expect(await opened.other.people.findByEmail('nobody@example.com')).toBeUndefined();
    });

    it('keeps a name where none was known, and replaces none', async () => {
      const first = newPerson({ name: null });
      await ensure(first);
      const named = await ensure(newPerson({ email: first.email, name: 'Ada Lovelace' }));
      expect(named).toStrictEqual({ ...first, name: 'Ada Lovelace' });
      expect(await ensure(newPerson({ email: first.email, name: 'Countess' }))).toStrictEqual(named);
      expect(await opened.other.people.find(first.id)).toStrictEqual(named);
      expect(await emailsOf({ prefix: 'lovel' })).toEqual([first.email]);
    });

    it('makes one person of racing ones with the same address, and gives it to all', async () => {
      const email = `${randomUUID()}@example.com`;
      const racers = Array.from({ length: 20 }, (_, i) =>
        (i % 2 === 0 ? opened.storage : opened.other).people.ensure(newPerson({ email })),
      );
      const people = await Promise.all(racers);
      expect(new Set(people.map(({ id }) => id)).size).toBe(1);
      expect(await opened.other.people.findByEmail(email)).toStrictEqual(people[0]);
    });

    describe('searched', () => {
      const domain = `${randomUUID()}.example`;
      const people = [
        newPerson({ email: `ada@${domain}`, name: 'Ada King Quillon' }),
        newPerson({ email: `bob@${domain}`, name: 'Quentin_Bob' }),
        newPerson({ email: `quinn@${domain}`, name: null }),
        newPerson({ email: `zoe@${domain}`, name: 'Žofia Ángelquin' }),
      ];
      const found = async (prefix: string) =>
        (await emailsOf({ prefix })).filter((email) => email.endsWith(domain)).map((email) => email[0]);

      it.each([
        ['qu', ['a', 'b', 'q']],
        ['qui', ['a', 'q']],
        ['quil', ['a']],
        ['ada', ['a']],
        ['ada k', ['a']],
        ['king', ['a']],
        ['king quillo', ['a']],
        ['ing', []],
        ['žof', ['z']],
        ['áng', ['z']],
        ['quin', ['q']],
        [`quinn@${domain}`, ['q']],
        ['_', []],
        ['%', []],
        ['.', []],
      ])('finds whose address, name or later word of it begins with %j', async (prefix, initials) => {
        for (const person of people) await ensure(person);
        expect(await found(prefix)).toEqual(initials);
      });

      it('lists them by address, each once, whole and in pages', async () => {
        for (const person of people.toReversed()) await ensure(person);
        for (const query of [{}, { prefix: 'qu' }]) {
          const all = await emailsOf({ ...query, limit: 1_000 });
          expect(all).toEqual([...new Set(all)].toSorted());
          expect(all.length).toBeGreaterThan(2);
          const read: string[] = [];
          for (let page = await emailsOf({ ...query, limit: 2 }); page.length > 0; ) {
            read.push(...page);
            page = await emailsOf({ ...query, limit: 2, after: page.at(-1) ?? '' });
          }
          expect(read).toEqual(all);
        }
      });
    });

    async function emailsOf(query: Partial<PersonQuery>): Promise<string[]> {
      return (await opened.other.people.list({ limit: 100, ...query })).map(({ email }) => email);
    }
  });
}

function newPerson(fields: Partial<Person> = {}): Person {
  const id = randomUUID();
  return {
    id,
    email: `${id}@example.com`,
    name: null,
    created_at: '2026-03-01T12:00:00.001Z',
    ...fields,
  };
}

import type { Sqlite } from '@keydesk/storage/sqlite';
import type { Person } from '../../people/person.ts';
import type { PersonQuery, PersonStore } from '../../people/person-store.ts';
import { personTerms } from '../person-terms.ts';

/** Comes behind every continuation of a prefix. */
const LAST_CHARACTER = '\u{10FFFF}';

/**
 * Shorter prefixes may mean very many people, so they are terms of their own, which lead to people in order of e-mail
 * address; what a longer one leads to is sorted.
 */
const LONGEST_START = 6;

export function createPersonStore(sqlite: Sqlite): PersonStore {
  const { prepare, read, write } = sqlite;
  const addTerms = createTermWriter(sqlite);
  const selectById = prepare('SELECT * FROM people WHERE id = ?');
  const selectAll = prepare('SELECT * FROM people WHERE id IN (SELECT value FROM json_each(?))');
  const selectByEmail = prepare('SELECT * FROM people WHERE email = ?');
  const upsert = prepare(`
    INSERT INTO people (id, email, name, created_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (email) DO UPDATE SET name = coalesce(name, excluded.name)`);
  const selectPage = prepare('SELECT * FROM people WHERE email > ? ORDER BY email LIMIT ?');
  const selectByStart = prepare(`
    SELECT people.* FROM person_terms CROSS JOIN people USING (email)
    WHERE term = ? AND person_terms.email > ? ORDER BY person_terms.email LIMIT ?`);
  const selectByTerm = prepare(`
    SELECT * FROM people WHERE email IN (
      SELECT DISTINCT email FROM person_terms WHERE term >= ? AND term < ? AND email > ? ORDER BY email LIMIT ?)
    ORDER BY email`);

  function selectRows({ prefix = '', after = '', limit }: PersonQuery) {
    if (prefix === '') return selectPage.all(after, limit);
    if (Array.from(prefix).length <= LONGEST_START) return selectByStart.all(prefix, after, limit);
    return selectByTerm.all(prefix, prefix + LAST_CHARACTER, after, limit);
  }

  const findByEmail = (email: string) => read(() => toPerson(selectByEmail.get(email)));

  return {
    async ensure(candidate) {
      const { id, email, name, created_at } = candidate;
      const known = findByEmail(email);
      if (known && (known.name !== null || name === null)) return known;
      return write(() => {
        upsert.run(id, email, name, Date.parse(created_at));
        const person = toPerson(selectByEmail.get(email)) ?? candidate;
        addTerms(person);
        return person;
      });
    },
    find: async (id) => read(() => toPerson(selectById.get(id))),
    findAll: async (ids) =>
      read(() => selectAll.all(JSON.stringify(ids)).flatMap((row) => toPerson(row) ?? [])),
    findByEmail: async (email) => findByEmail(email),
    list: async (query) => read(() => selectRows(query).flatMap((row) => toPerson(row) ?? [])),
  };
}

/** Adds the terms of the people that a migration has made. */
export async function indexMigratedPeople(sqlite: Sqlite): Promise<void> {
  const { prepare, read, write } = sqlite;
  const addTerms = createTermWriter(sqlite);
  const selectMissing = prepare('SELECT * FROM people WHERE NOT EXISTS (SELECT 1 FROM person_terms)');
  if (read(() => selectMissing.get()) === undefined) return;
  await write(() => {
    for (const row of selectMissing.all()) {
      const person = toPerson(row);
      if (person) addTerms(person);
    }
  });
}

/** Adds what a person is searched by, for use inside one transaction. */
export function createTermWriter({ prepare }: Sqlite): (person: Person) => void {
  const insert = prepare('INSERT OR IGNORE INTO person_terms (term, email) VALUES (?, ?)');
  return (person) => {
    for (const term of personTerms(person)) {
      for (const each of [...startsOf(term), term]) insert.run(each, person.email);
    }
  };
}

function startsOf(term: string): string[] {
  const characters = Array.from(term);
  return Array.from({ length: LONGEST_START }, (_, i) => characters.slice(0, i + 1).join(''));
}

function toPerson(row: Record<string, unknown> | undefined): Person | undefined {
  if (!row) return undefined;
  return Object.freeze({
    id: String(row.id),
    email: String(row.email),
    name: row.name === null ? null : String(row.name),
    created_at: new Date(Number(row.created_at)).toISOString(),
  });
}

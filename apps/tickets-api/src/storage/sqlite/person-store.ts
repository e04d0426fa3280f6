import type { Sqlite } from '@keydesk/storage/sqlite';
import type { Person } from '../../people/person.ts';
import type { PersonStore } from '../../people/person-store.ts';
import { personTerms } from '../person-terms.ts';

/** Comes behind every continuation of a prefix. */
const LAST_CHARACTER = '\u{10FFFF}';

export function createPersonStore(sqlite: Sqlite): PersonStore {
  const { prepare, read, write } = sqlite;
  const addTerms = createTermWriter(sqlite);
  const selectById = prepare('SELECT * FROM people WHERE id = ?');
  const selectByEmail = prepare('SELECT * FROM people WHERE email = ?');
  const upsert = prepare(`
    INSERT INTO people (id, email, name, created_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (email) DO UPDATE SET name = coalesce(name, excluded.name) RETURNING *`);
  const selectPage = prepare('SELECT * FROM people WHERE email > ? ORDER BY email LIMIT ?');
  const selectByTerm = prepare(`
    SELECT * FROM people WHERE email IN (
      SELECT DISTINCT email FROM person_terms WHERE term >= ? AND term < ? AND email > ? ORDER BY email LIMIT ?)
    ORDER BY email`);

  const findByEmail = (email: string) => read(() => toPerson(selectByEmail.get(email)));

  return {
    async ensure(candidate) {
      const { id, email, name, created_at } = candidate;
      const known = findByEmail(email);
      if (known && (known.name !== null || name === null)) return known;
      return write(() => {
        const person = toPerson(upsert.get(id, email, name, Date.parse(created_at))) ?? candidate;
        addTerms(person);
        return person;
      });
    },
    find: async (id) => read(() => toPerson(selectById.get(id))),
    findByEmail: async (email) => findByEmail(email),
    list: async ({ prefix = '', after = '', limit }) =>
      read(() => {
        const rows =
          prefix === ''
            ? selectPage.all(after, limit)
            : selectByTerm.all(prefix, prefix + LAST_CHARACTER, after, limit);
        return rows.flatMap((row) => toPerson(row) ?? []);
      }),
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

function createTermWriter({ prepare }: Sqlite): (person: Person) => void {
  const insert = prepare('INSERT OR IGNORE INTO person_terms (term, email) VALUES (?, ?)');
  return (person) => {
    for (const term of personTerms(person)) insert.run(term, person.email);
  };
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

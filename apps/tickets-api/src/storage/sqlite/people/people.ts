import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { deepFreeze } from '@keydesk/storage/deep-freeze';
import type { Sqlite } from '@keydesk/storage/sqlite';
import type { PersonRecord } from '../../../helpdesk/people/person.ts';
import { byEmail, type PersonSort, personSortFields } from '../../../helpdesk/people/person-order.ts';
import type { PersonQuery, PersonStore, PersonWrite } from '../../../helpdesk/people/person-store.ts';
import {
  AFTER_PEOPLE,
  personKeys,
  personTerms,
  toAddressKey,
  toIdentityKey,
  toStoredListKey,
} from '../../person-terms.ts';
import { createCommitOnce, StaleVersion } from '../commit/commit-once.ts';

export function createPersonStore(sqlite: Sqlite): PersonStore {
  const { prepare, read, readOne } = sqlite;
  const writePeople = createPersonWriter(sqlite);
  const commitOnce = createCommitOnce(sqlite);
  const selectById = prepare('SELECT document FROM people WHERE id = ?');
  const selectAll = prepare('SELECT document FROM people WHERE id IN (SELECT value FROM json_each(?))');
  const selectByKey = prepare(
    'SELECT document FROM people WHERE id = (SELECT person_id FROM person_keys WHERE key = ?)',
  );
  const selectPending = prepare(
    'SELECT document FROM people INDEXED BY pending_merges WHERE merge_since IS NOT NULL LIMIT ?',
  );
  const selectMaskings = prepare(
    'SELECT document FROM people INDEXED BY pending_maskings WHERE masking_since IS NOT NULL LIMIT ?',
  );
  const pages = createPersonPages(sqlite);

  const findByKey = (key: string) => selectByKey.all(key).map(toRecord)[0];

  function findByKeys(keys: readonly string[]): PersonRecord[] {
    const found = keys.flatMap((key) => findByKey(key) ?? []);
    return [...new Map(found.map((record) => [record.person.id, record])).values()];
  }

  const commit: PersonStore['commit'] = (writes, request) =>
    commitOnce(request, () => {
      if (!writePeople(writes)) throw new StaleVersion();
    });

  return {
    commit,
    write: async (writes) => (await commit(writes, undefined)).outcome === 'committed',
    find: async (id) => readOne(() => selectById.all(id).map(toRecord)[0]),
    findAll: async (ids) => readOne(() => selectAll.all(JSON.stringify(ids)).map(toRecord)),
    findByEmail: async (email) => readOne(() => findByKey(toAddressKey(email))),
    // People need no common snapshot: each is current.
    findByEmails: async (emails) => readOne(() => findByKeys(emails.map(toAddressKey))),
    findByIdentity: async (identity) => readOne(() => findByKey(toIdentityKey(identity))),
    listPendingMerges: async (limit) => read(() => selectPending.all(limit).map(toRecord)),
    listPendingMaskings: async (limit) => read(() => selectMaskings.all(limit).map(toRecord)),
    list: async (query) => read(() => pages.select(query).map(toRecord)),
    count: async (query) => read(() => pages.count(query)),
  };
}

/** Writes people within one transaction; returns `false` without writing if a version is stale or a key is in use. */
function createPersonWriter(sqlite: Sqlite): (writes: readonly PersonWrite[]) => boolean {
  const { prepare } = sqlite;
  const addTerms = createTermWriter(sqlite);
  const selectPlace = prepare('SELECT version, place FROM people WHERE id = ?');
  const selectOwner = prepare('SELECT person_id FROM person_keys WHERE key = ?');
  const put = prepare(
    'INSERT OR REPLACE INTO people (id, place, role, version, document) VALUES (?, ?, ?, ?, ?)',
  );
  const insertKey = prepare('INSERT INTO person_keys (key, person_id) VALUES (?, ?)');
  const removeKeys = prepare('DELETE FROM person_keys WHERE person_id = ?');
  const removeTerms = prepare('DELETE FROM person_terms WHERE place = ?');

  function isPossible(writes: readonly PersonWrite[]): boolean {
    const written = new Set(writes.map(({ record }) => record.person.id));
    return writes.every(({ expectedVersion, record }) => {
      const version = selectPlace.get(record.person.id)?.version;
      const owners = personKeys(record).map((key) => selectOwner.get(key)?.person_id);
      return (
        version === expectedVersion &&
        owners.every((owner) => owner === undefined || written.has(String(owner)))
      );
    });
  }

  function remove({ record: { person } }: PersonWrite): void {
    const row = selectPlace.get(person.id);
    if (row) removeTerms.run(String(row.place));
    removeKeys.run(person.id);
  }

  function add({ record }: PersonWrite): void {
    const { id, role, version } = record.person;
    put.run(id, toStoredListKey(record), role, version, JSON.stringify(record));
    for (const key of personKeys(record)) insertKey.run(key, id);
    addTerms(record);
  }

  return (writes) => {
    if (!isPossible(writes)) return false;
    writes.forEach(remove);
    writes.forEach(add);
    return true;
  };
}

/** Adds the search terms of a person, within one transaction. */
function createTermWriter({ prepare }: Sqlite): (record: PersonRecord) => void {
  const insert = prepare('INSERT OR IGNORE INTO person_terms (term, place) VALUES (?, ?)');
  return (record) => {
    for (const term of personTerms(record.person)) {
      for (const each of [...startsOf(term), term]) insert.run(each, toStoredListKey(record));
    }
  };
}

function startsOf(term: string): string[] {
  const characters = Array.from(term);
  return Array.from({ length: MAX_START_LENGTH }, (_, i) => characters.slice(0, i + 1).join(''));
}

function toRecord({ document }: Record<string, unknown>): PersonRecord {
  return deepFreeze(JSON.parse(String(document)));
}

/** Comes behind every continuation of a prefix. */
const LAST_CHARACTER = '\u{10FFFF}';

/**
 * Shorter prefixes may mean very many people, so they are terms of their own, which lead to people in order of address;
 * what a longer one leads to is sorted.
 */
const MAX_START_LENGTH = 6;

/** Pages of lists of people, as rows with a `document`. */
interface PersonPages {
  select(query: PersonQuery): Record<string, unknown>[];
  count(query: PersonQuery): number;
}

/** The columns of an order, each of which an index has after the role and without it. */
const columnsOf: Readonly<Record<PersonSort['field'], readonly string[]>> = {
  email: ['place'],
  name: ['name_key', 'id'],
  created_at: ['created_at', 'id'],
  updated_at: ['updated_at', 'id'],
};

const walks = ['any', 'ofRoles', 'byStart', 'byTerm', 'byTermOfRoles'] as const;
type Walk = (typeof walks)[number];

const MAX_ROLES = 3;

function createPersonPages({ prepare }: Sqlite): PersonPages {
  const sorts = personSortFields.flatMap((field): PersonSort[] => [
    { field, direction: 'asc' },
    { field, direction: 'desc' },
  ]);
  const pages = new Map<string, StatementSync>();
  for (const sort of sorts) {
    // A search by the beginning of a name or address is in order of address alone.
    for (const walk of sort.field === 'email' ? walks : (['any', 'ofRoles'] as const)) {
      pages.set(toKey(walk, sort), prepare(toStatement(walk, sort)));
    }
  }
  const toCount = (walk: Walk) => prepare(`SELECT count(*) AS count FROM (${toStatement(walk, byEmail)})`);
  const counts = new Map(walks.map((walk) => [walk, toCount(walk)]));

  return {
    select(query) {
      const walk = toWalk(query);
      const page = pages.get(toKey(walk, query.sort ?? byEmail));
      if (!page) throw new Error('A search for people has one order.');
      return page.all(...toValues(walk, query));
    },
    count(query) {
      const walk = toWalk(query);
      return Number(counts.get(walk)?.get(...toValues(walk, { ...query, sort: byEmail }))?.count);
    },
  };
}

function toKey(walk: Walk, { field, direction }: PersonSort): string {
  return `${walk} ${field} ${direction}`;
}

/** The statement of a page and its values. */
export function toPageStatement(query: PersonQuery) {
  const walk = toWalk(query);
  return { sql: toStatement(walk, query.sort ?? byEmail), values: toValues(walk, query) };
}

function toStatement(walk: Walk, { field, direction }: PersonSort): string {
  const columns = columnsOf[field];
  const beyond = direction === 'asc' ? '>' : '<';
  const order = columns.map((column) => `${column} ${direction}`).join();
  const isBehind = `(${columns.join()}) ${beyond} (${columns.map(() => '?').join()})`;
  const hasRole = `(? = '[]' OR role IN (SELECT value FROM json_each(?)))`;
  const isPerson = `place < '${AFTER_PEOPLE}'`;
  switch (walk) {
    case 'any':
      return `SELECT document FROM people WHERE ${isBehind} AND ${isPerson} ORDER BY ${order} LIMIT ?`;
    case 'ofRoles': {
      const branch = `SELECT ${columns.join()}, document FROM people WHERE role IS ? AND ${isBehind} AND ${isPerson}`;
      const branches = Array<string>(MAX_ROLES).fill(branch).join(' UNION ALL ');
      return `SELECT document FROM (${branches} ORDER BY ${order} LIMIT ?)`;
    }
    case 'byStart':
      return `
        SELECT document FROM person_terms CROSS JOIN people USING (place)
        WHERE term = ? AND person_terms.place ${beyond} ? AND ${hasRole}
        ORDER BY person_terms.place ${direction} LIMIT ?`;
    case 'byTerm':
    case 'byTermOfRoles': {
      // Thousands of people may match. Only their roles require more than the index of terms.
      const [join, ofRoles] =
        walk === 'byTerm' ? ['', ''] : ['CROSS JOIN people USING (place)', `AND ${hasRole}`];
      return `
        SELECT document FROM people WHERE place IN (
          SELECT DISTINCT place FROM person_terms ${join}
          WHERE term >= ? AND term < ? AND person_terms.place ${beyond} ? ${ofRoles}
          ORDER BY place ${direction} LIMIT ?)
        ORDER BY place ${direction}`;
    }
  }
}

function toWalk({ prefix = '', roles }: PersonQuery): Walk {
  if (prefix === '') return roles ? 'ofRoles' : 'any';
  if (Array.from(prefix).length <= MAX_START_LENGTH) return 'byStart';
  return roles ? 'byTermOfRoles' : 'byTerm';
}

function toValues(walk: Walk, { prefix = '', roles, sort = byEmail, after, limit }: PersonQuery) {
  const given = JSON.stringify(roles ?? []);
  const behind = toBehind(sort, after);
  const values: Readonly<Record<Walk, SQLInputValue[]>> = {
    any: [...behind, limit],
    ofRoles: [...toSlots(roles).flatMap((role) => [role, ...behind]), limit],
    byStart: [prefix, ...behind, given, given, limit],
    byTerm: [prefix, prefix + LAST_CHARACTER, ...behind, limit],
    byTermOfRoles: [prefix, prefix + LAST_CHARACTER, ...behind, given, given, limit],
  };
  return values[walk];
}

/** The roles, and in the place of each that was not given one that no person has. */
function toSlots(roles: PersonQuery['roles'] = []): (string | null)[] {
  return [...roles, ...Array<string>(MAX_ROLES).fill('')].slice(0, MAX_ROLES);
}

/** The values behind which the page begins. */
function toBehind({ field, direction }: PersonSort, after: PersonQuery['after']): string[] {
  const first = direction === 'asc' ? '' : LAST_CHARACTER.repeat(2);
  const { value, id } = after ?? { value: first, id: direction === 'asc' ? '' : 'g' };
  return field === 'email' ? [value] : [value, id];
}

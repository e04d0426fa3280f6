import type { Sqlite } from '@keydesk/storage/sqlite';
import type { PersonRecord } from '../../helpdesk/people/person.ts';
import type { PersonStore, PersonWrite } from '../../helpdesk/people/person-store.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { personKeys, personTerms, toAddressKey, toIdentityKey, toStoredListKey } from '../person-terms.ts';
import { createCommitOnce, StaleVersion } from './commit-once.ts';
import { createPersonPages, MAX_START_LENGTH } from './person-pages.ts';

export function createPersonStore(sqlite: Sqlite): PersonStore {
  const { prepare, read } = sqlite;
  const writePeople = createPersonWriter(sqlite);
  const commitOnce = createCommitOnce(sqlite);
  const selectById = prepare('SELECT document FROM people WHERE id = ?');
  const selectAll = prepare('SELECT document FROM people WHERE id IN (SELECT value FROM json_each(?))');
  const selectByKeys = prepare(`
    SELECT document FROM people
    WHERE id IN (SELECT person_id FROM person_keys WHERE key IN (SELECT value FROM json_each(?)))`);
  const selectPending = prepare(
    'SELECT document FROM people INDEXED BY pending_merges WHERE merge_since IS NOT NULL LIMIT ?',
  );
  const selectMaskings = prepare(
    'SELECT document FROM people INDEXED BY pending_maskings WHERE masking_since IS NOT NULL LIMIT ?',
  );
  const pages = createPersonPages(sqlite);

  const findByKeys = (keys: readonly string[]) => selectByKeys.all(JSON.stringify(keys)).map(toRecord);
  const findByKey = (key: string) => findByKeys([key])[0];

  const commit: PersonStore['commit'] = (writes, request) =>
    commitOnce(request, () => {
      if (!writePeople(writes)) throw new StaleVersion();
    });

  return {
    commit,
    write: async (writes) => (await commit(writes, undefined)).outcome === 'committed',
    find: async (id) => read(() => selectById.all(id).map(toRecord)[0]),
    findAll: async (ids) => read(() => selectAll.all(JSON.stringify(ids)).map(toRecord)),
    findByEmail: async (email) => read(() => findByKey(toAddressKey(email))),
    findByEmails: async (emails) => read(() => findByKeys(emails.map(toAddressKey))),
    findByIdentity: async (identity) => read(() => findByKey(toIdentityKey(identity))),
    listPendingMerges: async (limit) => read(() => selectPending.all(limit).map(toRecord)),
    listPendingMaskings: async (limit) => read(() => selectMaskings.all(limit).map(toRecord)),
    list: async (query) => read(() => pages.select(query).map(toRecord)),
    count: async (query) => read(() => pages.count(query)),
  };
}

/** Writes people within one transaction; returns `false` without writing if a version is stale or a key is in use. */
export function createPersonWriter(sqlite: Sqlite): (writes: readonly PersonWrite[]) => boolean {
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

import { deepFreeze } from '@keydesk/storage/deep-freeze';
import type { Sqlite } from '@keydesk/storage/sqlite';
import type { Identities } from '../../../accounts/identities/identities.ts';
import type { IdentityStore } from '../../../accounts/identities/identity-store.ts';

/** SQL statements of the store, by name. */
const identitySql = {
  find: 'SELECT document FROM identities WHERE account_id = ?',
  findByIdentity: `SELECT document FROM identity_owners JOIN identities USING (account_id)
                   WHERE issuer = ? AND subject = ?`,
  isTaken: 'SELECT 1 FROM identity_owners WHERE issuer = ? AND subject = ? AND account_id <> ?',
  insert: `INSERT INTO identities (account_id, version, document) VALUES (:accountId, :version, :document)
           ON CONFLICT DO NOTHING`,
  update: `UPDATE identities SET version = :version, document = :document
           WHERE account_id = :accountId AND version = :expectedVersion`,
  clearOwners: 'DELETE FROM identity_owners WHERE account_id = ?',
  insertOwner: 'INSERT INTO identity_owners (issuer, subject, account_id) VALUES (?, ?, ?)',
  remove: 'DELETE FROM identities WHERE account_id = ?',
};

/** Creates the store of identities in SQLite: a JSON document for each account, and an index of its identities. */
export function createSqliteIdentityStore({ prepare, readOne, write }: Sqlite): IdentityStore {
  const find = prepare(identitySql.find);
  const findByIdentity = prepare(identitySql.findByIdentity);
  const isTaken = prepare(identitySql.isTaken);
  const remove = prepare(identitySql.remove);
  const writeIdentities = createIdentityWriter({ prepare });

  return {
    find: async (accountId) => toIdentities(readOne(() => find.get(accountId))),
    findByIdentity: async (issuer, subject) =>
      toIdentities(readOne(() => findByIdentity.get(issuer, subject))),
    replace: (document, expectedVersion) =>
      write(() => {
        const { accountId, identities } = document;
        if (identities.some(({ issuer, subject }) => isTaken.get(issuer, subject, accountId)))
          return 'identity_taken';
        return writeIdentities(document, expectedVersion) ? 'replaced' : 'stale';
      }),
    remove: (accountId) => write(() => remove.run(accountId).changes === 1),
  };
}

/** Creates the function that writes identities inside `write`; it returns `false` if it wrote nothing. */
export function createIdentityWriter({ prepare }: Pick<Sqlite, 'prepare'>) {
  const insert = prepare(identitySql.insert);
  const update = prepare(identitySql.update);
  const clearOwners = prepare(identitySql.clearOwners);
  const insertOwner = prepare(identitySql.insertOwner);

  return function writeIdentities(document: Identities, expectedVersion: number): boolean {
    const { accountId, version, identities } = document;
    const row = { accountId, version, document: JSON.stringify(document) };
    const statement = expectedVersion === 0 ? insert.run(row) : update.run({ ...row, expectedVersion });
    if (statement.changes !== 1) return false;
    clearOwners.run(accountId);
    for (const { issuer, subject } of identities) insertOwner.run(issuer, subject, accountId);
    return true;
  };
}

function toIdentities(row: Record<string, unknown> | undefined): Identities | undefined {
  if (!row) return undefined;
  return deepFreeze(JSON.parse(String(row.document), reviveDate) as Identities);
}

/** Converts the members whose name ends in `At`, which are dates. */
function reviveDate(name: string, value: unknown): unknown {
  return name.endsWith('At') && typeof value === 'string' ? new Date(value) : value;
}

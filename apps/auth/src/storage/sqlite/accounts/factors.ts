import { deepFreeze } from '@keydesk/storage/deep-freeze';
import type { Sqlite } from '@keydesk/storage/sqlite';
import type { FactorStore } from '../../../accounts/factors/factor-store.ts';
import type { Factors } from '../../../accounts/factors/factors.ts';

/** SQL statements of the store, by name. */
const factorSql = {
  find: 'SELECT document FROM factors WHERE account_id = ?',
  findByPasskey: `SELECT document FROM passkeys JOIN factors USING (account_id) WHERE credential_id = ?`,
  isTaken: 'SELECT 1 FROM passkeys WHERE credential_id = ? AND account_id <> ?',
  insert: `INSERT INTO factors (account_id, version, document) VALUES (:accountId, :version, :document)
           ON CONFLICT DO NOTHING`,
  update: `UPDATE factors SET version = :version, document = :document
           WHERE account_id = :accountId AND version = :expectedVersion`,
  clearPasskeys: 'DELETE FROM passkeys WHERE account_id = ?',
  insertPasskey: 'INSERT INTO passkeys (credential_id, account_id) VALUES (?, ?)',
  remove: 'DELETE FROM factors WHERE account_id = ?',
};

/** Creates the store of factors in SQLite: a JSON document for each account, and an index of its passkeys. */
export function createSqliteFactorStore({ prepare, readOne, write }: Sqlite): FactorStore {
  const find = prepare(factorSql.find);
  const findByPasskey = prepare(factorSql.findByPasskey);
  const isTaken = prepare(factorSql.isTaken);
  const remove = prepare(factorSql.remove);
  const writeFactors = createFactorWriter({ prepare });

  return {
    find: async (accountId) => toFactors(readOne(() => find.get(accountId))),
    findByPasskey: async (credentialId) => toFactors(readOne(() => findByPasskey.get(credentialId))),
    replace: (factors, expectedVersion) =>
      write(() => {
        const { accountId, passkeys } = factors;
        if (passkeys.some(({ id }) => isTaken.get(id, accountId))) return 'passkey_taken';
        return writeFactors(factors, expectedVersion) ? 'replaced' : 'stale';
      }),
    remove: (accountId) => write(() => remove.run(accountId).changes === 1),
  };
}

/** Creates the function that writes factors inside `write`; it returns `false` if it wrote nothing. */
export function createFactorWriter({ prepare }: Pick<Sqlite, 'prepare'>) {
  const insert = prepare(factorSql.insert);
  const update = prepare(factorSql.update);
  const clearPasskeys = prepare(factorSql.clearPasskeys);
  const insertPasskey = prepare(factorSql.insertPasskey);

  return function writeFactors(factors: Factors, expectedVersion: number): boolean {
    const { accountId, version, passkeys } = factors;
    const row = { accountId, version, document: JSON.stringify(factors) };
    const statement = expectedVersion === 0 ? insert.run(row) : update.run({ ...row, expectedVersion });
    if (statement.changes !== 1) return false;
    clearPasskeys.run(accountId);
    for (const { id } of passkeys) insertPasskey.run(id, accountId);
    return true;
  };
}

function toFactors(row: Record<string, unknown> | undefined): Factors | undefined {
  if (!row) return undefined;
  return deepFreeze(JSON.parse(String(row.document), reviveDate) as Factors);
}

/** Converts the members whose name ends in `At`, which are dates. */
function reviveDate(name: string, value: unknown): unknown {
  return name.endsWith('At') && typeof value === 'string' ? new Date(value) : value;
}

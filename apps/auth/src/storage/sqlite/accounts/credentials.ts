import type { Sqlite } from '@keydesk/storage/sqlite';
import type { CredentialStore, Credentials } from '../../../accounts/credentials/credential-store.ts';
import { createAccountWriter } from './accounts.ts';
import { createFactorWriter } from './factors.ts';
import { createIdentityWriter } from './identities.ts';

/** SQL statement of the store: the versions of the three documents of an account. */
const versions = `SELECT (SELECT version FROM accounts WHERE id = :id) AS account,
                         coalesce((SELECT version FROM factors WHERE account_id = :id), 0) AS factors,
                         coalesce((SELECT version FROM identities WHERE account_id = :id), 0) AS identities`;

/** Creates the store of all credentials of an account in SQLite: one transaction writes the three documents. */
export function createSqliteCredentialStore(sqlite: Sqlite): CredentialStore {
  const findVersions = sqlite.prepare(versions);
  const [writeAccount, writeFactors, writeIdentities] = [
    createAccountWriter(sqlite),
    createFactorWriter(sqlite),
    createIdentityWriter(sqlite),
  ];

  function isNext({ account, factors, identities }: Credentials): boolean {
    const stored = findVersions.get({ id: account.id });
    return (
      stored?.account === account.version - 1 &&
      stored.factors === factors.version - 1 &&
      stored.identities === identities.version - 1
    );
  }

  return {
    replaceAll: (next) =>
      sqlite.write(() => {
        if (!isNext(next) || !writeAccount(next.account, next.account.version - 1)) return 'stale';
        writeFactors(next.factors, next.factors.version - 1);
        writeIdentities(next.identities, next.identities.version - 1);
        return 'replaced';
      }),
  };
}

import { deepFreeze } from '@keydesk/storage/deep-freeze';
import type { Sqlite } from '@keydesk/storage/sqlite';
import type { Account } from '../../../accounts/account/account.ts';
import type { AccountPage, AccountStore } from '../../../accounts/account/account-store.ts';
import { emailRangeOf } from '../../account-page.ts';

/** SQL statements of the store, by name. */
export const accountSql = {
  insert: `INSERT INTO accounts (id, email, role, status, version, document)
           VALUES (:id, :email, :role, :status, :version, :document) ON CONFLICT DO NOTHING`,
  find: 'SELECT document FROM accounts WHERE id = ?',
  findByEmail: 'SELECT document FROM accounts WHERE email = ?',
  listSignInsEnded: `SELECT document FROM accounts WHERE document ->> '$.signInsEndedAt' >= ?`,
  // An address of another account leaves the row unchanged.
  replace: `UPDATE OR IGNORE accounts
            SET email = :email, role = :role, status = :status, version = :version, document = :document
            WHERE id = :id AND version = :expectedVersion`,
  hasVersion: 'SELECT 1 FROM accounts WHERE id = ? AND version = ?',
  remove: 'DELETE FROM accounts WHERE id = ?',
};

/** Returns the list statement for the given filters; each combination has an index that also provides the order. */
export function accountListSql({ role, status }: Pick<AccountPage, 'role' | 'status'>): string {
  return `SELECT document FROM accounts
          WHERE ${role === undefined ? '' : 'role = :role AND'} ${status === undefined ? '' : 'status = :status AND'}
            email >= :from AND email < :to
          ORDER BY email LIMIT :limit`;
}

/** Creates the account store in SQLite. Each account is a JSON document, with indexed columns. */
export function createSqliteAccountStore({ prepare, readOne, write }: Sqlite): AccountStore {
  const insert = prepare(accountSql.insert);
  const find = prepare(accountSql.find);
  const findByEmail = prepare(accountSql.findByEmail);
  const listSignInsEnded = prepare(accountSql.listSignInsEnded);
  const replace = createAccountWriter({ prepare });
  const hasVersion = prepare(accountSql.hasVersion);
  const remove = prepare(accountSql.remove);

  return {
    insert: (account) => write(() => insert.run(toRow(account)).changes === 1),
    find: async (id) => toAccount(readOne(() => find.get(id))),
    findByEmail: async (email) => toAccount(readOne(() => findByEmail.get(email))),
    async list(page) {
      const { role, status, limit } = page;
      const filters = { ...(role !== undefined && { role }), ...(status !== undefined && { status }) };
      const rows = readOne(() =>
        prepare(accountListSql(page)).all({ ...emailRangeOf(page), ...filters, limit }),
      );
      return rows.flatMap((row) => toAccount(row) ?? []);
    },
    listSignInsEnded: async (since) => {
      const rows = readOne(() => listSignInsEnded.all(since.toISOString()));
      return rows.flatMap((row) => toAccount(row) ?? []);
    },
    replace: (account, expectedVersion) =>
      write(() => {
        if (replace(account, expectedVersion)) return 'replaced';
        return hasVersion.get(account.id, expectedVersion) ? 'email_taken' : 'stale';
      }),
    remove: (id) => write(() => remove.run(id).changes === 1),
  };
}

/** Creates the function that replaces an account inside `write`; it returns `false` if it wrote nothing. */
export function createAccountWriter({ prepare }: Pick<Sqlite, 'prepare'>) {
  const replace = prepare(accountSql.replace);
  return (account: Account, expectedVersion: number): boolean =>
    replace.run({ ...toRow(account), expectedVersion }).changes === 1;
}

function toRow(account: Account) {
  const { id, email, role, status, version } = account;
  return { id, email, role, status, version, document: JSON.stringify(account) };
}

type StoredAccount = {
  [Member in keyof Account]: Date extends Account[Member]
    ? string | Exclude<Account[Member], Date>
    : Account[Member];
};

function toAccount(row: Record<string, unknown> | undefined): Account | undefined {
  if (!row) return undefined;
  const stored = JSON.parse(String(row.document)) as StoredAccount;
  return deepFreeze({
    ...stored,
    createdAt: new Date(stored.createdAt),
    updatedAt: new Date(stored.updatedAt),
    passwordChangedAt: toDate(stored.passwordChangedAt),
    deletionDueAt: toDate(stored.deletionDueAt),
    signInsEndedAt: toDate(stored.signInsEndedAt),
  });
}

function toDate(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}

import type { Sqlite } from '@keydesk/storage/sqlite';
import type { AccountToken, AccountTokenStore } from '../../../accounts/account/account-token-store.ts';

const isLive = 'digest = :digest AND purpose = :purpose AND expires_at > :now';

/** SQL statements of the store, by name. */
export const accountTokenSql = {
  insert: `INSERT INTO account_tokens (digest, purpose, account_id, email, expires_at)
           VALUES (:digest, :purpose, :accountId, :email, :expiresAt)`,
  find: `SELECT * FROM account_tokens WHERE ${isLive}`,
  redeem: `DELETE FROM account_tokens WHERE ${isLive} RETURNING *`,
  discard: 'DELETE FROM account_tokens WHERE account_id = :accountId AND purpose IS NOT :except',
  purgeExpired: `DELETE FROM account_tokens WHERE digest IN
                   (SELECT digest FROM account_tokens WHERE expires_at <= :now LIMIT :limit)`,
};

/** Creates the store of mailed tokens in SQLite. */
export function createSqliteAccountTokenStore({ prepare, readOne, write }: Sqlite): AccountTokenStore {
  const insert = prepare(accountTokenSql.insert);
  const find = prepare(accountTokenSql.find);
  const redeem = prepare(accountTokenSql.redeem);
  const discard = prepare(accountTokenSql.discard);
  const purgeExpired = prepare(accountTokenSql.purgeExpired);

  return {
    async insert({ expiresAt, ...members }) {
      await write(() => insert.run({ ...members, expiresAt: expiresAt.getTime() }));
    },
    find: async (digest, purpose, now) =>
      toToken(readOne(() => find.get({ digest, purpose, now: now.getTime() }))),
    redeem: (digest, purpose, now) =>
      write(() => toToken(redeem.get({ digest, purpose, now: now.getTime() }))),
    async discard(accountId, { except = null } = {}) {
      await write(() => discard.run({ accountId, except }));
    },
    async purgeExpired(now, limit) {
      return Number(await write(() => purgeExpired.run({ now: now.getTime(), limit }).changes));
    },
  };
}

interface TokenRow extends Pick<AccountToken, 'digest' | 'purpose' | 'email'> {
  account_id: string;
  expires_at: number;
}

function toToken(row: Record<string, unknown> | undefined): AccountToken | undefined {
  if (!row) return undefined;
  const { digest, purpose, account_id: accountId, email, expires_at: expiresAt } = row as unknown as TokenRow;
  return { digest, purpose, accountId, email, expiresAt: new Date(expiresAt) };
}

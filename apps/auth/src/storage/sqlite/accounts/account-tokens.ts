import type { Sqlite } from '@keydesk/storage/sqlite';
import type { AccountToken, AccountTokenStore } from '../../../accounts/account/account-token-store.ts';

const isLive = 'digest = :digest AND purpose = :purpose AND expires_at > :now';

/** SQL statements of the store, by name. */
export const accountTokenSql = {
  insert: `INSERT INTO account_tokens (digest, purpose, account_id, email, since, expires_at)
           VALUES (:digest, :purpose, :accountId, :email, :since, :expiresAt)`,
  find: `SELECT * FROM account_tokens WHERE ${isLive}`,
  redeem: `DELETE FROM account_tokens WHERE ${isLive} RETURNING *`,
  findEarliestSince: `SELECT min(since) AS since FROM account_tokens
                      WHERE account_id = :accountId AND expires_at > :now`,
  discard: 'DELETE FROM account_tokens WHERE account_id = :accountId AND purpose IS NOT :except',
  discardLater: `DELETE FROM account_tokens
                 WHERE account_id = :accountId AND NOT (purpose = :purpose AND expires_at < :expiresAt)`,
  purgeExpired: `DELETE FROM account_tokens WHERE digest IN
                   (SELECT digest FROM account_tokens WHERE expires_at <= :now LIMIT :limit)`,
};

/** Creates the store of mailed tokens in SQLite. */
export function createSqliteAccountTokenStore({ prepare, readOne, write }: Sqlite): AccountTokenStore {
  const insert = prepare(accountTokenSql.insert);
  const find = prepare(accountTokenSql.find);
  const redeem = prepare(accountTokenSql.redeem);
  const findEarliestSince = prepare(accountTokenSql.findEarliestSince);
  const discard = prepare(accountTokenSql.discard);
  const discardLater = prepare(accountTokenSql.discardLater);
  const purgeExpired = prepare(accountTokenSql.purgeExpired);

  return {
    async insert({ since, expiresAt, ...members }) {
      const times = { since: since?.getTime() ?? null, expiresAt: expiresAt.getTime() };
      await write(() => insert.run({ ...members, ...times }));
    },
    find: async (digest, purpose, now) =>
      toToken(readOne(() => find.get({ digest, purpose, now: now.getTime() }))),
    redeem: (digest, purpose, now) =>
      write(() => toToken(redeem.get({ digest, purpose, now: now.getTime() }))),
    redeemOverLater: (digest, purpose, now) =>
      write(() => {
        const redeemed = toToken(redeem.get({ digest, purpose, now: now.getTime() }));
        if (!redeemed) return undefined;
        const { accountId, expiresAt } = redeemed;
        discardLater.run({ accountId, purpose, expiresAt: expiresAt.getTime() });
        return redeemed;
      }),
    async findEarliestSince(accountId, now) {
      const row = readOne(() => findEarliestSince.get({ accountId, now: now.getTime() }));
      return typeof row?.since === 'number' ? new Date(row.since) : undefined;
    },
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
  since: number | null;
  expires_at: number;
}

function toToken(row: Record<string, unknown> | undefined): AccountToken | undefined {
  if (!row) return undefined;
  const { digest, purpose, account_id: accountId, email, since, expires_at } = row as unknown as TokenRow;
  const times = { ...(since !== null && { since: new Date(since) }), expiresAt: new Date(expires_at) };
  return { digest, purpose, accountId, email, ...times };
}

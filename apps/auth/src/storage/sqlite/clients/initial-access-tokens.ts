import type { Sqlite } from '@keydesk/storage/sqlite';
import type {
  InitialAccessToken,
  InitialAccessTokenStore,
} from '../../../clients/registration/initial-access-token-store.ts';

/** SQL statements of the store, by name. */
export const initialAccessTokenSql = {
  insert: `INSERT INTO initial_access_tokens (id, digest, name, uses_left, created_at, expires_at)
           VALUES (:id, :digest, :name, :usesLeft, :createdAt, :expiresAt)`,
  list: 'SELECT * FROM initial_access_tokens ORDER BY id',
  find: 'SELECT * FROM initial_access_tokens WHERE digest = :digest AND expires_at > :now',
  takeUse: `UPDATE initial_access_tokens SET uses_left = uses_left - 1
            WHERE digest = :digest AND expires_at > :now AND uses_left > 0`,
  remove: 'DELETE FROM initial_access_tokens WHERE id = ?',
  purgeExpired: `DELETE FROM initial_access_tokens WHERE id IN
                   (SELECT id FROM initial_access_tokens WHERE expires_at <= :now LIMIT :limit)`,
};

/** Creates the store of initial access tokens in SQLite. */
export function createSqliteInitialAccessTokenStore({
  prepare,
  readOne,
  write,
}: Sqlite): InitialAccessTokenStore {
  const insert = prepare(initialAccessTokenSql.insert);
  const list = prepare(initialAccessTokenSql.list);
  const find = prepare(initialAccessTokenSql.find);
  const takeUse = prepare(initialAccessTokenSql.takeUse);
  const remove = prepare(initialAccessTokenSql.remove);
  const purgeExpired = prepare(initialAccessTokenSql.purgeExpired);

  return {
    async insert({ createdAt, expiresAt, ...members }) {
      const times = { createdAt: createdAt.getTime(), expiresAt: expiresAt.getTime() };
      await write(() => insert.run({ ...members, ...times }));
    },
    list: async () => readOne(() => list.all()).map(toToken),
    async find(digest, now) {
      const row = readOne(() => find.get({ digest, now: now.getTime() }));
      return row && toToken(row);
    },
    takeUse: (digest, now) => write(() => takeUse.run({ digest, now: now.getTime() }).changes === 1),
    remove: (id) => write(() => remove.run(id).changes === 1),
    async purgeExpired(now, limit) {
      return Number(await write(() => purgeExpired.run({ now: now.getTime(), limit }).changes));
    },
  };
}

function toToken(row: Record<string, unknown>): InitialAccessToken {
  return {
    id: String(row.id),
    digest: String(row.digest),
    name: String(row.name),
    usesLeft: Number(row.uses_left),
    createdAt: new Date(Number(row.created_at)),
    expiresAt: new Date(Number(row.expires_at)),
  };
}

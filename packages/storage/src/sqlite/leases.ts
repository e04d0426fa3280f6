import type { Leases } from '../leases.ts';
import type { Sqlite } from './sqlite.ts';

/** Not in the schema: its rows are worthless after a minute, so that any version may create it beside any other. */
const tableSql = `CREATE TABLE IF NOT EXISTS leases (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID`;

const acquireSql = `INSERT INTO leases (name, holder, expires_at) VALUES (:name, :holder, :expiresAt)
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
  WHERE holder = excluded.holder OR expires_at <= :now`;

const releaseSql = 'DELETE FROM leases WHERE name = :name AND holder = :holder';

/** Creates the leases in a SQLite file. */
export function createSqliteLeases({ prepare, write }: Pick<Sqlite, 'prepare' | 'write'>): Leases {
  const change = (sql: string, values: Readonly<Record<string, string | number>>) =>
    write(() => {
      prepare(tableSql).run();
      return prepare(sql).run(values).changes === 1;
    });
  return {
    acquire: ({ name, holder, now, expiresAt }) =>
      change(acquireSql, { name, holder, now: now.getTime(), expiresAt: expiresAt.getTime() }),
    release: async ({ name, holder }) => void (await change(releaseSql, { name, holder })),
  };
}

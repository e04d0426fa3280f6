import type { Sqlite } from '@keydesk/storage/sqlite';
import type { Registration, RegistrationStore } from '../../../clients/registration/registration-store.ts';

/** SQL statements of the store, by name. */
export const registrationSql = {
  insert: `INSERT INTO registrations (client_id, token_digest, created_at, active_at)
           VALUES (:clientId, :tokenDigest, :createdAt, :activeAt)`,
  find: 'SELECT * FROM registrations WHERE client_id = ?',
  replaceToken: `UPDATE registrations SET token_digest = :digest
                 WHERE client_id = :clientId AND token_digest = :expectedDigest`,
  touch: 'UPDATE registrations SET active_at = :at WHERE client_id = :clientId AND active_at < :at',
  listIdle: 'SELECT * FROM registrations WHERE active_at < :before ORDER BY active_at LIMIT :limit',
  remove: 'DELETE FROM registrations WHERE client_id = ?',
};

/** Creates the registration store in SQLite. */
export function createSqliteRegistrationStore({ prepare, readOne, write }: Sqlite): RegistrationStore {
  const insert = prepare(registrationSql.insert);
  const find = prepare(registrationSql.find);
  const replaceToken = prepare(registrationSql.replaceToken);
  const touch = prepare(registrationSql.touch);
  const listIdle = prepare(registrationSql.listIdle);
  const remove = prepare(registrationSql.remove);

  return {
    async insert({ createdAt, activeAt, ...members }) {
      const times = { createdAt: createdAt.getTime(), activeAt: activeAt.getTime() };
      await write(() => insert.run({ ...members, ...times }));
    },
    async find(clientId) {
      const row = readOne(() => find.get(clientId));
      return row && toRegistration(row);
    },
    replaceToken: (clientId, expectedDigest, digest) =>
      write(() => replaceToken.run({ clientId, expectedDigest, digest }).changes === 1),
    async recordActivity(clientId, at) {
      await write(() => touch.run({ clientId, at: at.getTime() }));
    },
    listIdle: async (before, limit) =>
      readOne(() => listIdle.all({ before: before.getTime(), limit })).map(toRegistration),
    remove: (clientId) => write(() => remove.run(clientId).changes === 1),
  };
}

function toRegistration(row: Record<string, unknown>): Registration {
  return {
    clientId: String(row.client_id),
    tokenDigest: String(row.token_digest),
    createdAt: new Date(Number(row.created_at)),
    activeAt: new Date(Number(row.active_at)),
  };
}

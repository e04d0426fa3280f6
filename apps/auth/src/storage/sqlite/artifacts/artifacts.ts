import type { Sqlite } from '@keydesk/storage/sqlite';
import type { Artifact, ArtifactStore, StoredArtifact } from '../../../artifacts/artifact-store.ts';

/** A row as `select` names its columns. */
interface StoredRow {
  model: string;
  key: string;
  payload: Uint8Array;
  expiresAt: number | null;
  grantKey: string | null;
  uidKey: string | null;
  userCodeKey: string | null;
  accountId: string | null;
  clientId: string | null;
  consumedAt: number | null;
  statusIndex: number | null;
}

/**
 * Number of artifacts per transaction when a grant or account is revoked, so that other writers get the lock in
 * between.
 */
const GRANT_BATCH = 100;

const insert = `
  INSERT INTO artifacts (model, key, payload, expires_at, grant_key, uid_key, user_code_key, account_id, client_id,
                         status_index)
  VALUES (:model, :key, :payload, :expiresAt, :grantKey, :uidKey, :userCodeKey, :accountId, :clientId, :statusIndex)
  ON CONFLICT (model, key) DO UPDATE SET
    payload = excluded.payload, expires_at = excluded.expires_at, grant_key = excluded.grant_key,
    uid_key = excluded.uid_key, user_code_key = excluded.user_code_key,
    account_id = excluded.account_id, client_id = excluded.client_id, status_index = excluded.status_index`;
const select = `
  SELECT model, key, payload, expires_at AS expiresAt, grant_key AS grantKey, uid_key AS uidKey,
         user_code_key AS userCodeKey, account_id AS accountId, client_id AS clientId, consumed_at AS consumedAt,
         status_index AS statusIndex
  FROM artifacts`;
/** Artifacts under a grant are found by that, not by account or client; more indexes would slow each refresh down. */
const hasNoGrant = 'grant_key IS NULL';
const isLive = 'is_revoked = 0 AND (expires_at IS NULL OR expires_at > :now)';

/** SQL statements of the store, by name. */
export const artifactSql = {
  upsert: `${insert} WHERE is_revoked = 0`,
  insertOnce: `${insert}, consumed_at = NULL WHERE expires_at <= :now`,
  find: `${select} WHERE model = :model AND key = :key AND ${isLive}`,
  findByUid: `${select} WHERE uid_key = :key AND ${isLive}`,
  findByUserCode: `${select} WHERE user_code_key = :key AND ${isLive}`,
  findByAccount: `${select} WHERE account_id = :accountId AND model = :model AND ${hasNoGrant} AND ${isLive}`,
  findByModel: `${select} WHERE model = :model AND ${isLive} LIMIT :limit`,
  consume: `UPDATE artifacts SET consumed_at = :now
            WHERE model = :model AND key = :key AND consumed_at IS NULL AND ${isLive}`,
  destroy: 'DELETE FROM artifacts WHERE model = :model AND key = :key',
  destroyByGrant: `DELETE FROM artifacts WHERE rowid IN
                         (SELECT rowid FROM artifacts WHERE grant_key = :grantKey LIMIT ${GRANT_BATCH})`,
  markRevoked: `UPDATE artifacts SET is_revoked = 1, revoked_at = :now, payload = x''
                WHERE model = 'Grant' AND key = :grantKey AND is_revoked = 0`,
  purgeExpired: `DELETE FROM artifacts WHERE rowid IN
                   (SELECT rowid FROM artifacts WHERE expires_at <= :now LIMIT :limit)`,
};

/** SQL statements of answers for refresh replays, under the key of the redeemed token. Row ids grow with time. */
export const answerSql = {
  insert: 'INSERT INTO answers (key, payload, expires_at) VALUES (?, ?, ?)',
  find: `SELECT answers.payload FROM answers JOIN artifacts USING (key)
         WHERE model = 'RefreshToken' AND key = :key AND answers.expires_at > :now`,
  purgeExpired: `DELETE FROM answers WHERE rowid IN (SELECT rowid FROM answers ORDER BY rowid LIMIT :limit)
                   AND expires_at <= :now`,
};

/** Returns the SQL statements that revoke everything of an account or a client. */
export function ownerSql(column: 'account_id' | 'client_id') {
  const isGrant = `${column} = :owner AND model = 'Grant' AND ${hasNoGrant}`;
  return {
    markGrants: `UPDATE artifacts SET is_revoked = 1, revoked_at = :now, payload = x''
                 WHERE ${isGrant} AND is_revoked = 0`,
    findMarked: `SELECT key FROM artifacts WHERE ${isGrant} AND is_revoked = 1 LIMIT ${GRANT_BATCH}`,
    detachGrant: `UPDATE artifacts SET ${column} = NULL WHERE model = 'Grant' AND key = ?`,
    destroy: `DELETE FROM artifacts WHERE rowid IN
                (SELECT rowid FROM artifacts WHERE ${column} = :owner AND ${hasNoGrant} LIMIT ${GRANT_BATCH})`,
  };
}

/** Creates the artifact store in SQLite. Changes within a few turns of the event loop share a commit. */
export function createSqliteArtifactStore(sqlite: Sqlite): ArtifactStore {
  const { prepare, write } = sqlite;
  const upsert = prepare(artifactSql.upsert);
  const insertOnce = prepare(artifactSql.insertOnce);
  const consume = prepare(artifactSql.consume);
  const destroy = prepare(artifactSql.destroy);
  const destroyBatch = prepare(artifactSql.destroyByGrant);
  const markRevoked = prepare(artifactSql.markRevoked);
  const purgeExpired = prepare(artifactSql.purgeExpired);
  const insertAnswer = prepare(answerSql.insert);
  const purgeAnswers = prepare(answerSql.purgeExpired);

  function markConsumed(model: string, key: string, at: Date): boolean {
    return consume.run({ model, key, now: at.getTime() }).changes === 1;
  }

  async function destroyByGrant(grantKey: string): Promise<void> {
    while ((await write(() => destroyBatch.run({ grantKey }).changes)) === GRANT_BATCH);
  }

  return {
    ...createFinders(sqlite),
    upsert: (artifact) => write(() => upsert.run(toRow(artifact)).changes === 1),
    insertOnce: (artifact, now) =>
      write(() => insertOnce.run({ ...toRow(artifact), now: now.getTime() }).changes === 1),
    consume: (model, key, at) => write(() => markConsumed(model, key, at)),
    redeem: (key, at, { issued, answer }) =>
      write(() => {
        if (!markConsumed('RefreshToken', key, at)) return false;
        upsert.run(toRow(issued));
        if (answer) insertAnswer.run(key, answer.payload, answer.expiresAt.getTime());
        return true;
      }),
    async destroy(model, key) {
      await write(() => destroy.run({ model, key }));
    },
    destroyByGrant,
    async revokeGrant(grantKey, at) {
      await write(() => {
        markRevoked.run({ grantKey, now: at.getTime() });
        destroyBatch.run({ grantKey });
      });
      await destroyByGrant(grantKey);
    },
    revokeAccount: createRevokeOwner(sqlite, 'account_id'),
    revokeClient: createRevokeOwner(sqlite, 'client_id'),
    purgeExpired: (now, limit) =>
      write(() => {
        const artifacts = Number(purgeExpired.run({ now: now.getTime(), limit }).changes);
        const answers = purgeAnswers.run({ now: now.getTime(), limit: limit - artifacts });
        return artifacts + Number(answers.changes);
      }),
  };
}

/**
 * Creates a function that revokes everything of an owner. Each transaction is bounded in deleted artifacts and visited
 * grants.
 */
function createRevokeOwner({ prepare, write }: Sqlite, column: 'account_id' | 'client_id') {
  const sql = ownerSql(column);
  const markGrants = prepare(sql.markGrants);
  const findMarked = prepare(sql.findMarked);
  const detachGrant = prepare(sql.detachGrant);
  const destroy = prepare(sql.destroy);
  const destroyUnder = prepare(artifactSql.destroyByGrant);

  /**
   * Deletes artifacts under revoked grants; returns whether there may be more. A grant without artifacts is detached
   * from its owner.
   */
  function destroyUnderMarked(owner: string): boolean {
    const grants = findMarked.all({ owner });
    let destroyed = 0;
    for (const { key } of grants) {
      destroyed += Number(destroyUnder.run({ grantKey: String(key) }).changes);
      if (destroyed >= GRANT_BATCH) return true;
      detachGrant.run(String(key));
    }
    return grants.length === GRANT_BATCH;
  }

  return async (owner: string, at: Date): Promise<void> => {
    await write(() => markGrants.run({ owner, now: at.getTime() }));
    while (await write(() => destroyUnderMarked(owner)));
    while ((await write(() => destroy.run({ owner }).changes)) === GRANT_BATCH);
  };
}

type Finder = 'find' | 'findAnswer' | 'findByUid' | 'findByUserCode' | 'findByAccount' | 'findByModel';

function createFinders({ prepare, readOne }: Sqlite): Pick<ArtifactStore, Finder> {
  function createFind(sql: string) {
    const statement = prepare(sql);
    return async (parameters: Readonly<Record<string, string | number>>, now: Date) => {
      const rows = readOne(() => statement.all({ ...parameters, now: now.getTime() }));
      return (rows as unknown as StoredRow[]).map(toArtifact);
    };
  }
  const find = createFind(artifactSql.find);
  const findAnswer = prepare(answerSql.find);
  const findByUid = createFind(artifactSql.findByUid);
  const findByUserCode = createFind(artifactSql.findByUserCode);
  const findByAccount = createFind(artifactSql.findByAccount);
  const findByModel = createFind(artifactSql.findByModel);

  return {
    find: async (model, key, now) => (await find({ model, key }, now))[0],
    async findAnswer(key, now) {
      const found = readOne(() => findAnswer.get({ key, now: now.getTime() }));
      return found?.payload as Uint8Array | undefined;
    },
    findByUid: async (key, now) => (await findByUid({ key }, now))[0],
    findByUserCode: async (key, now) => (await findByUserCode({ key }, now))[0],
    findByAccount: (model, accountId, now) => findByAccount({ model, accountId }, now),
    findByModel: (model, now, limit) => findByModel({ model, limit }, now),
  };
}

function toRow({ model, key, payload, ...optional }: Artifact): Omit<StoredRow, 'consumedAt'> {
  return {
    model,
    key,
    payload,
    expiresAt: optional.expiresAt?.getTime() ?? null,
    grantKey: optional.grantKey ?? null,
    uidKey: optional.uidKey ?? null,
    userCodeKey: optional.userCodeKey ?? null,
    accountId: optional.accountId ?? null,
    clientId: optional.clientId ?? null,
    statusIndex: optional.statusIndex ?? null,
  };
}

function toArtifact(row: StoredRow): StoredArtifact {
  // Member by member: V8 spreads rows of SQLite at twice the cost.
  return {
    model: row.model,
    key: row.key,
    payload: row.payload,
    expiresAt: toDate(row.expiresAt),
    consumedAt: toDate(row.consumedAt),
    grantKey: row.grantKey ?? undefined,
    uidKey: row.uidKey ?? undefined,
    userCodeKey: row.userCodeKey ?? undefined,
    accountId: row.accountId ?? undefined,
    clientId: row.clientId ?? undefined,
    statusIndex: row.statusIndex ?? undefined,
  };
}

function toDate(milliseconds: number | null): Date | undefined {
  return milliseconds === null ? undefined : new Date(milliseconds);
}

import { isDuplicateKey } from '@keydesk/storage/mongo';
import { deleteEach, deleteExpired } from '@keydesk/storage/mongo-deletion';
import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import type { Transactions } from '@keydesk/storage/mongo-transactions';
import {
  type ClientSession,
  type Connection,
  type Model,
  type QueryFilter,
  trusted,
  type UpdateQuery,
} from 'mongoose';
import type { Artifact, ArtifactStore, StoredArtifact } from '../../../artifacts/artifact-store.ts';

/** Stored artifact. `_id` is `model:key`; optional members are absent, never null. */
export interface ArtifactDocument extends Omit<StoredArtifact, 'model' | 'key' | 'payload'> {
  _id: string;
  payload: Buffer;
  isRevoked?: boolean;
  revokedAt?: Date;
}

type Filter = QueryFilter<ArtifactDocument>;
type Update = UpdateQuery<ArtifactDocument>;

/** Model of stored answers for refresh replays; the key is that of the refresh token. */
const ANSWER = 'RefreshReplay';

/** Number of artifacts that one command destroys when a grant or account is revoked. */
const GRANT_BATCH = 100;

const indexedMembers = [
  'expiresAt',
  'grantKey',
  'uidKey',
  'userCodeKey',
  'accountId',
  'clientId',
  'statusIndex',
] as const;

/** Defines the collection, once per connection. The token statuses are members of its documents, too. */
export function defineArtifacts(connection: Connection): Model<ArtifactDocument> {
  if (connection.models.Artifact) return connection.models.Artifact as Model<ArtifactDocument>;
  const schema = createDocumentSchema<ArtifactDocument>({
    _id: String,
    payload: Buffer,
    expiresAt: Date,
    consumedAt: Date,
    isRevoked: Boolean,
    revokedAt: Date,
    grantKey: String,
    uidKey: String,
    userCodeKey: String,
    accountId: String,
    clientId: String,
    statusIndex: Number,
  });
  for (const member of [...indexedMembers, 'revokedAt']) schema.index({ [member]: 1 }, { sparse: true });
  return connection.model<ArtifactDocument>('Artifact', schema, 'artifacts');
}

/** Creates the artifact store in MongoDB. Every precondition is in the filter of a single-document write. */
export function createMongoArtifactStore(connection: Connection, transactions: Transactions): ArtifactStore {
  const artifacts = defineArtifacts(connection);

  /** Upserts a document. Returns `false` if one with that `_id` exists and does not match the filter. */
  async function put(filter: Filter, update: Update): Promise<boolean> {
    try {
      await artifacts.updateOne(filter, update, { upsert: true });
      return true;
    } catch (err) {
      if (isDuplicateKey(err)) return false;
      throw err;
    }
  }

  async function upsert(artifact: Artifact): Promise<boolean> {
    const _id = toId(artifact.model, artifact.key);
    if (await put({ _id, isRevoked: trusted({ $exists: false }) }, toUpdate(artifact))) return true;
    if (await artifacts.exists({ _id, isRevoked: true })) return false;
    return upsert(artifact); // Another process has just inserted it, so now it can be replaced.
  }

  async function consume(model: string, key: string, at: Date, options: { session?: ClientSession } = {}) {
    const filter = { _id: toId(model, key), consumedAt: trusted({ $exists: false }), ...isLive(at) };
    const { modifiedCount } = await artifacts.updateOne(filter, { $set: { consumedAt: at } }, options);
    return modifiedCount === 1;
  }

  const destroyByGrant = (grantKey: string) => destroyAll(artifacts, { grantKey });

  return {
    upsert,
    insertOnce(artifact, now) {
      const filter = { _id: toId(artifact.model, artifact.key), expiresAt: trusted({ $lte: now }) };
      const { $set, $unset } = toUpdate(artifact);
      return put(filter, { $set, $unset: { ...$unset, consumedAt: 1 } });
    },
    ...createFinders(artifacts),
    consume: (model, key, at) => consume(model, key, at),
    redeem: (key, at, { issued, answer }) =>
      transactions.run(async (session) => {
        if (!(await consume('RefreshToken', key, at, { session }))) return false;
        const { grantKey } = issued;
        const answers = answer ? [{ model: ANSWER, key, grantKey, ...answer }] : [];
        for (const written of [issued, ...answers]) {
          const _id = toId(written.model, written.key);
          await artifacts.updateOne({ _id }, toUpdate(written), { upsert: true, session });
        }
        return true;
      }),
    async destroy(model, key) {
      await artifacts.deleteOne({ _id: toId(model, key) });
    },
    destroyByGrant,
    async revokeGrant(grantKey, at) {
      await artifacts.updateOne({ _id: toId('Grant', grantKey), ...isUnrevoked() }, { $set: toMark(at) });
      await destroyByGrant(grantKey);
    },
    async revokeAccount(accountId, at) {
      await revokeAllOf(artifacts, { accountId }, at);
    },
    async revokeClient(clientId, at) {
      await revokeAllOf(artifacts, { clientId }, at);
    },
    purgeExpired: (now, limit) => deleteExpired(artifacts, now, limit),
  };
}

type Finder = 'find' | 'findAnswer' | 'findByUid' | 'findByUserCode' | 'findByAccount' | 'findByModel';

function createFinders(artifacts: Model<ArtifactDocument>): Pick<ArtifactStore, Finder> {
  async function findLive(filter: Filter, now: Date): Promise<StoredArtifact | undefined> {
    const found = await artifacts.findOne({ ...filter, ...isLive(now) }).lean();
    return found ? toArtifact(found) : undefined;
  }

  const hasModel = (model: string) => trusted({ $regex: `^${model}:` });

  return {
    find: (model, key, now) => findLive({ _id: toId(model, key) }, now),
    findAnswer: async (key, now) => (await findLive({ _id: toId(ANSWER, key) }, now))?.payload,
    findByUid: (uidKey, now) => findLive({ uidKey }, now),
    findByUserCode: (userCodeKey, now) => findLive({ userCodeKey }, now),
    async findByAccount(model, accountId, now) {
      const found = await artifacts.find({ accountId, _id: hasModel(model), ...isLive(now) }).lean();
      return found.map(toArtifact);
    },
    async findByModel(model, now, limit) {
      const found = await artifacts
        .find({ _id: hasModel(model), ...isLive(now) })
        .limit(limit)
        .lean();
      return found.map(toArtifact);
    },
  };
}

/** Revokes everything of an owner. Grants come first, so that nothing a racing request stores under one is usable. */
async function revokeAllOf(
  artifacts: Model<ArtifactDocument>,
  owner: { accountId: string } | { clientId: string },
  at: Date,
): Promise<void> {
  const grants = { ...owner, _id: trusted({ $regex: '^Grant:' }) };
  const [member] = Object.keys(owner);
  await artifacts.updateMany({ ...grants, ...isUnrevoked() }, { $set: toMark(at) });
  await artifacts.updateMany({ ...grants, isRevoked: true }, { $unset: { [String(member)]: 1 } });
  await destroyAll(artifacts, owner);
}

async function destroyAll(artifacts: Model<ArtifactDocument>, filter: Filter): Promise<void> {
  for (;;) {
    const batch = await artifacts.find(filter, { _id: 1 }).limit(GRANT_BATCH).lean();
    await deleteEach(artifacts, batch, filter);
    if (batch.length < GRANT_BATCH) return;
  }
}

function isUnrevoked(): Filter {
  return { isRevoked: trusted({ $exists: false }) };
}

function toMark(at: Date) {
  return { isRevoked: true, revokedAt: at, payload: Buffer.alloc(0) };
}

function toId(model: string, key: string): string {
  return `${model}:${key}`;
}

function isLive(now: Date): Filter {
  // An artifact without expiry has no `expiresAt`, so it is never in the past.
  return { ...isUnrevoked(), expiresAt: trusted({ $not: { $lte: now } }) };
}

function toUpdate(artifact: Artifact) {
  const present = indexedMembers.filter((member) => artifact[member] !== undefined);
  const absent = indexedMembers.filter((member) => artifact[member] === undefined);
  const members = Object.fromEntries(present.map((member) => [member, artifact[member]]));
  return {
    $set: { payload: Buffer.from(artifact.payload), ...members },
    $unset: Object.fromEntries(absent.map((member) => [member, 1])),
  };
}

function toArtifact({ _id, payload, isRevoked, revokedAt, ...members }: ArtifactDocument): StoredArtifact {
  const [model = '', key = ''] = _id.split(':');
  return { model, key, payload: Buffer.from(payload.buffer), ...members };
}

import { deepFreeze } from '@keydesk/storage/deep-freeze';
import { guardMongo } from '@keydesk/storage/mongo';
import { createDocumentSchema, createPartSchema } from '@keydesk/storage/mongo-documents';
import type { ClientSession, Connection, Model } from 'mongoose';
import { rightNames } from '../../../helpdesk/roles/right.ts';
import type { RoleRecord } from '../../../helpdesk/roles/role.ts';
import type { RoleStore } from '../../../helpdesk/roles/role-store.ts';
import { createCommitAudited, type RequestRecordDocument } from '../commit/commit-once.ts';
import type { EventDocument } from '../commit/events.ts';

export function createRoleStore(models: {
  roles: Model<RoleDocument>;
  events: Model<EventDocument>;
  records: Model<RequestRecordDocument>;
}): RoleStore {
  const { roles } = models;
  const commit = createCommitAudited(models);

  async function replace(
    role: RoleRecord,
    expectedVersion: number,
    session: ClientSession,
  ): Promise<boolean> {
    const _id = { $eq: role.id };
    const document = toRoleDocument(role);
    const { matchedCount } = await roles.replaceOne({ _id, version: { $eq: expectedVersion } }, document, {
      session,
    });
    if (matchedCount === 1) return true;
    if (expectedVersion !== 1) return false;
    // A role that is not stored is at version 1.
    const upsert = { $setOnInsert: document };
    const { upsertedCount } = await roles.updateOne({ _id }, upsert, { upsert: true, session });
    return upsertedCount === 1;
  }

  return {
    list: () => guardMongo(async () => (await roles.find().lean()).map(toRole)),
    replace: (role, expectedVersion, audited) =>
      commit(audited, (session) => replace(role, expectedVersion, session)),
  };
}

/** A role as MongoDB holds it. */
interface RoleDocument extends Omit<RoleRecord, 'id' | 'created_at' | 'updated_at'> {
  _id: RoleRecord['id'];
  created_at: Date;
  updated_at: Date;
}

export function createRoleModel(connection: Connection): Model<RoleDocument> {
  const schema = createDocumentSchema<RoleDocument>({
    _id: String,
    rights: createPartSchema(Object.fromEntries(rightNames.map((name) => [name, Boolean]))),
    created_at: Date,
    updated_at: Date,
    version: Number,
  });
  return connection.model<RoleDocument>('Role', schema, 'roles');
}

function toRoleDocument({ id, created_at, updated_at, ...same }: RoleRecord): RoleDocument {
  return { _id: id, ...same, created_at: new Date(created_at), updated_at: new Date(updated_at) };
}

function toRole({ _id, rights, created_at, updated_at, version }: RoleDocument): RoleRecord {
  return deepFreeze({
    id: _id,
    rights,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    version,
  });
}

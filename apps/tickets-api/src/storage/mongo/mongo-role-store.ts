import { guardMongo } from '@keydesk/storage/mongo';
import type { ClientSession } from 'mongoose';
import type { RoleRecord } from '../../helpdesk/roles/role.ts';
import type { RoleStore } from '../../helpdesk/roles/role-store.ts';
import { createCommitAudited } from './commit-audited.ts';
import type { MongoModels } from './models.ts';
import { toRole, toRoleDocument } from './role-model.ts';

export function createMongoRoleStore(models: Pick<MongoModels, 'roles' | 'events' | 'records'>): RoleStore {
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

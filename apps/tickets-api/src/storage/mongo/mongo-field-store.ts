import { AppError } from '@keydesk/server';
import { guardMongo, isDuplicateKey } from '@keydesk/storage/mongo';
import type { ClientSession } from 'mongoose';
import type { FieldStore } from '../../helpdesk/fields/field-store.ts';
import { MAX_FIELDS, type TicketField, tooManyFields } from '../../helpdesk/fields/ticket-field.ts';
import { passGate } from './addition-gate.ts';
import { createCommitAudited } from './commit-audited.ts';
import { toField, toFieldDocument } from './field-model.ts';
import type { MongoModels } from './models.ts';

export function createMongoFieldStore(
  models: Pick<MongoModels, 'fields' | 'additionGate' | 'events' | 'records'>,
): FieldStore {
  const { fields, additionGate } = models;
  const commit = createCommitAudited(models);

  async function insert(field: TicketField, session: ClientSession): Promise<boolean> {
    await passGate(additionGate, 'additions', session);
    const count = await fields.countDocuments({}, { session });
    if (count >= MAX_FIELDS) throw tooManyFields();
    try {
      await fields.insertOne(toFieldDocument(field), { session });
      return true;
    } catch (err) {
      if (!isDuplicateKey(err)) throw err;
      throw new AppError('conflict', 'A field with this key already exists; choose another key.', {
        cause: err,
      });
    }
  }

  return {
    list: () => guardMongo(async () => (await fields.find().lean()).map(toField)),
    find: (id) =>
      guardMongo(async () => {
        const document = await fields.findOne({ _id: { $eq: id } }).lean();
        return document ? toField(document) : undefined;
      }),
    add: (field, audited) => commit(audited, (session) => insert(field, session)),
    replace: (field, expectedVersion, audited) =>
      commit(audited, async (session) => {
        const filter = { _id: { $eq: field.id }, version: { $eq: expectedVersion } };
        const { matchedCount } = await fields.replaceOne(filter, toFieldDocument(field), { session });
        return matchedCount === 1;
      }),
    remove: (id, expectedVersion, audited) =>
      commit(audited, async (session) => {
        const filter = { _id: { $eq: id }, version: { $eq: expectedVersion } };
        const { deletedCount } = await fields.deleteOne(filter, { session });
        return deletedCount === 1;
      }),
  };
}

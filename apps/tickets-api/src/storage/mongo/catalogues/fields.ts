import { AppError } from '@keydesk/server';
import { deepFreeze } from '@keydesk/storage/deep-freeze';
import { guardMongo, isDuplicateKey } from '@keydesk/storage/mongo';
import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import type { ClientSession, Connection, Model } from 'mongoose';
import type { FieldStore } from '../../../helpdesk/fields/field-store.ts';
import { MAX_FIELDS, type TicketField, tooManyFields } from '../../../helpdesk/fields/ticket-field.ts';
import { type AdditionGateDocument, passGate } from '../commit/addition-gate.ts';
import { createCommitAudited, type RequestRecordDocument } from '../commit/commit-once.ts';
import type { EventDocument } from '../commit/events.ts';

export function createFieldStore(models: {
  fields: Model<FieldDocument>;
  additionGate: Model<AdditionGateDocument>;
  events: Model<EventDocument>;
  records: Model<RequestRecordDocument>;
}): FieldStore {
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

/** Custom field definition as MongoDB stores it. */
interface FieldDocument extends Omit<TicketField, 'id' | 'created_at' | 'updated_at'> {
  _id: string;
  created_at: Date;
  updated_at: Date;
}

export const fieldIndexes = [{ name: 'key', key: { key: 1 } as const, unique: true }];

export function createFieldModel(connection: Connection): Model<FieldDocument> {
  const schema = createDocumentSchema<FieldDocument>({
    _id: String,
    key: String,
    title: String,
    // Wrapped, because mongoose has an option of the same name.
    type: { type: String },
    options: [String],
    required_on: [String],
    visible_to_customers: Boolean,
    editable_by_customers: Boolean,
    position: Number,
    created_at: Date,
    updated_at: Date,
    version: Number,
  });
  return connection.model<FieldDocument>('TicketField', schema, 'ticket_fields');
}

function toFieldDocument({ id, created_at, updated_at, ...same }: TicketField): FieldDocument {
  return { _id: id, ...same, created_at: new Date(created_at), updated_at: new Date(updated_at) };
}

function toField(document: FieldDocument): TicketField {
  return deepFreeze({
    id: document._id,
    key: document.key,
    title: document.title,
    type: document.type,
    options: document.options,
    required_on: document.required_on,
    visible_to_customers: document.visible_to_customers,
    editable_by_customers: document.editable_by_customers,
    position: document.position,
    created_at: document.created_at.toISOString(),
    updated_at: document.updated_at.toISOString(),
    version: document.version,
  });
}

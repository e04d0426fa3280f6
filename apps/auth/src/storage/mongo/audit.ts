import { isDuplicateKey } from '@keydesk/storage/mongo';
import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import { type Connection, type QueryFilter, Schema, trusted } from 'mongoose';
import { type AuditRecord, auditEventTypes, typesWithEmailAddresses } from '../../audit/audit-event.ts';
import type { AuditPage, AuditStore } from '../../audit/audit-store.ts';
import { firstIdAt } from '../../audit/record-id.ts';
import { idRangeOf } from '../audit-range.ts';

const optionalMembers = ['actor', 'accountId', 'clientId', 'address', 'requestId'] as const;

/** Stored record; members that are `null` in a record are absent. */
type AuditDocument = Omit<AuditRecord, 'id' | (typeof optionalMembers)[number]> & {
  _id: string;
} & { [Member in (typeof optionalMembers)[number]]?: string };

function defineAuditRecords(connection: Connection) {
  const schema = createDocumentSchema<AuditDocument>(
    {
      _id: String,
      at: Date,
      type: String,
      actor: String,
      accountId: String,
      clientId: String,
      address: String,
      requestId: String,
      details: Schema.Types.Mixed,
    },
    { minimize: false },
  );
  schema.index({ type: 1, _id: 1 });
  schema.index({ accountId: 1, type: 1, _id: 1 });
  schema.index({ clientId: 1, type: 1, _id: 1 });
  return connection.model<AuditDocument>('AuditRecord', schema, 'audit_records');
}

/** Returns the list filter. The index that starts with it returns each type in order, to be merged. */
export function toAuditFilter(page: AuditPage): QueryFilter<AuditDocument> {
  const { accountId, clientId, types } = page;
  const isOfSomeone = accountId !== undefined || clientId !== undefined;
  const listed = types ?? (isOfSomeone ? auditEventTypes : undefined);
  const { from, to } = idRangeOf(page);
  return {
    ...(accountId !== undefined && { accountId }),
    ...(clientId !== undefined && { clientId }),
    ...(listed && { type: trusted({ $in: [...listed] }) }),
    _id: trusted({ $gte: from, $lt: to }),
  };
}

/** Creates the audit store in MongoDB. */
export function createMongoAuditStore(connection: Connection): AuditStore {
  const records = defineAuditRecords(connection);

  return {
    async append(added) {
      try {
        await records.insertMany(added.map(toDocument), { ordered: false });
      } catch (err) {
        // Unordered, so that all records except existing ones were written.
        if (!isDuplicateKey(err)) throw err;
      }
    },
    async list(page) {
      const found = await records.find(toAuditFilter(page)).sort({ _id: -1 }).limit(page.limit).lean();
      return found.map(toRecord);
    },
    async deleteEmailAddresses(accountId) {
      const type = trusted({ $in: [...typesWithEmailAddresses] });
      await records.updateMany({ accountId: { $eq: accountId }, type }, { $set: { details: {} } });
    },
    async prune(before, limit) {
      const old = { _id: trusted({ $lt: firstIdAt(before) }) };
      const batch = await records.find(old, { _id: 1 }).sort({ _id: 1 }).limit(limit).lean();
      const ids = batch.map(({ _id }) => _id);
      const { deletedCount } = await records.deleteMany({ _id: trusted({ $in: ids }) });
      return deletedCount;
    },
  };
}

function toDocument({ id, ...members }: AuditRecord): AuditDocument {
  const present = Object.entries(members).filter(([, value]) => value !== null);
  return { _id: id, ...(Object.fromEntries(present) as Omit<AuditDocument, '_id'>) };
}

function toRecord({ _id: id, ...members }: AuditDocument): AuditRecord {
  const { actor = null, accountId = null, clientId = null, address = null, requestId = null } = members;
  return { ...members, id, actor, accountId, clientId, address, requestId };
}

import { isDuplicateKey } from '@keydesk/storage';
import { deepFreeze } from '@keydesk/storage/deep-freeze';
import { type Connection, type QueryFilter, Schema, trusted } from 'mongoose';
import type { Account } from '../../accounts/account.ts';
import type { AccountPage, AccountStore } from '../../accounts/account-store.ts';
import { emailRangeOf } from '../account-page.ts';

type AccountDocument = Omit<Account, 'id'> & { _id: string };

function defineAccounts(connection: Connection) {
  const schema = new Schema<AccountDocument>(
    {
      _id: String,
      email: String,
      emailVerified: Boolean,
      profile: Schema.Types.Mixed,
      phoneNumberVerified: Boolean,
      passwordHash: String,
      role: String,
      status: String,
      createdAt: Date,
      updatedAt: Date,
      passwordChangedAt: Date,
      deletionDueAt: Date,
      signInsEndedAt: Date,
      credentialEpoch: Number,
      version: Number,
    },
    { versionKey: false, strict: 'throw', minimize: false },
  );
  schema.index({ email: 1 }, { unique: true });
  schema.index({ role: 1, email: 1 });
  schema.index({ status: 1, email: 1 });
  schema.index({ role: 1, status: 1, email: 1 });
  schema.index({ signInsEndedAt: 1 }, { partialFilterExpression: { signInsEndedAt: { $type: 'date' } } });
  return connection.model<AccountDocument>('Account', schema, 'accounts');
}

/** Returns the list filter; each combination has an index that also provides the order. */
export function toAccountFilter(page: AccountPage): QueryFilter<AccountDocument> {
  const { from, to } = emailRangeOf(page);
  return {
    ...(page.role !== undefined && { role: page.role }),
    ...(page.status !== undefined && { status: page.status }),
    email: trusted({ $gte: from, $lt: to }),
  };
}

/**
 * Creates the account store in MongoDB. Every precondition is in the filter, or in an index, of one single-document
 * write.
 */
export function createMongoAccountStore(connection: Connection): AccountStore {
  const accounts = defineAccounts(connection);

  return {
    async insert(account) {
      try {
        await accounts.create([toDocument(account)]);
        return true;
      } catch (err) {
        if (isDuplicateKey(err)) return false;
        throw err;
      }
    },
    find: async (id) => toAccount(await accounts.findOne({ _id: id }).lean()),
    findByEmail: async (email) => toAccount(await accounts.findOne({ email }).lean()),
    async list(page) {
      const found = await accounts.find(toAccountFilter(page)).sort({ email: 1 }).limit(page.limit).lean();
      return found.flatMap((document) => toAccount(document) ?? []);
    },
    async listSignInsEnded(since) {
      const found = await accounts.find({ signInsEndedAt: trusted({ $gte: since }) }).lean();
      return found.flatMap((document) => toAccount(document) ?? []);
    },
    async replace(account, expectedVersion) {
      const { _id, ...members } = toDocument(account);
      try {
        const { matchedCount } = await accounts.updateOne(
          { _id, version: expectedVersion },
          { $set: members },
        );
        return matchedCount === 1 ? 'replaced' : 'stale';
      } catch (err) {
        if (isDuplicateKey(err)) return 'email_taken';
        throw err;
      }
    },
    async remove(id) {
      const { deletedCount } = await accounts.deleteOne({ _id: id });
      return deletedCount === 1;
    },
  };
}

function toDocument({ id, ...members }: Account): AccountDocument {
  return { _id: id, ...members };
}

function toAccount(document: AccountDocument | null): Account | undefined {
  if (!document) return undefined;
  const { _id, ...members } = document;
  return deepFreeze({ id: _id, ...members });
}

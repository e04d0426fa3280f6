import { deepFreeze } from '@keydesk/storage/deep-freeze';
import { isDuplicateKey } from '@keydesk/storage/mongo';
import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import { type ClientSession, type Connection, type Model, type QueryFilter, Schema, trusted } from 'mongoose';
import type { Account } from '../../../accounts/account/account.ts';
import type { AccountPage, AccountStore } from '../../../accounts/account/account-store.ts';
import { emailRangeOf } from '../../account-page.ts';

type AccountDocument = Omit<Account, 'id'> & { _id: string };

function defineAccounts(connection: Connection): Model<AccountDocument> {
  const defined = connection.models.Account;
  if (defined) return defined;
  const schema = createDocumentSchema<AccountDocument>(
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
    { minimize: false },
  );
  schema.index({ email: 1 }, { unique: true });
  schema.index({ role: 1, email: 1 });
  schema.index({ status: 1, email: 1 });
  schema.index({ role: 1, status: 1, email: 1 });
  // A later time implies this filter, but not a `$type` in MongoDB.
  const partialFilterExpression = { signInsEndedAt: { $gt: new Date(0) } };
  schema.index({ signInsEndedAt: 1 }, { name: 'ended_sign_ins', partialFilterExpression });
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
  const write = createAccountWriter(connection);

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
      try {
        return (await write(account, expectedVersion)) ? 'replaced' : 'stale';
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

/** Creates the function that replaces an account; it resolves with `false` if it wrote nothing. */
export function createAccountWriter(connection: Connection) {
  const accounts = defineAccounts(connection);
  return async function writeAccount(
    account: Account,
    expectedVersion: number,
    options: { session?: ClientSession } = {},
  ): Promise<boolean> {
    const { _id, ...members } = toDocument(account);
    const filter = { _id, version: expectedVersion };
    const { matchedCount } = await accounts.updateOne(filter, { $set: members }, options);
    return matchedCount === 1;
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

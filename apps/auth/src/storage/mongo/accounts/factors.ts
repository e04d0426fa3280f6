import { deepFreeze } from '@keydesk/storage/deep-freeze';
import { isDuplicateKey } from '@keydesk/storage/mongo';
import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import { type ClientSession, type Connection, type Model, Schema, trusted } from 'mongoose';
import type { FactorStore } from '../../../accounts/factors/factor-store.ts';
import type { Factors } from '../../../accounts/factors/factors.ts';

type FactorsDocument = Omit<Factors, 'accountId'> & { _id: string };

function defineFactors(connection: Connection): Model<FactorsDocument> {
  const defined = connection.models.Factors;
  if (defined) return defined;
  const mixed = Schema.Types.Mixed;
  const schema = createDocumentSchema<FactorsDocument>(
    {
      _id: String,
      totp: mixed,
      recoveryCodes: mixed,
      passkeys: mixed,
      trustedDevices: mixed,
      graceStartedAt: Date,
      version: Number,
    },
    { minimize: false },
  );
  const partialFilterExpression = { 'passkeys.id': { $type: 'string' } };
  schema.index({ 'passkeys.id': 1 }, { unique: true, partialFilterExpression });
  return connection.model<FactorsDocument>('Factors', schema, 'factors');
}

/** Creates the store of factors in MongoDB. A unique index prevents a passkey of two accounts. */
export function createMongoFactorStore(connection: Connection): FactorStore {
  const factors = defineFactors(connection);

  const write = createFactorWriter(connection);

  async function hasPasskeyOfOther({ accountId, passkeys }: Factors): Promise<boolean> {
    const ids = passkeys.map(({ id }) => id);
    const filter = {
      _id: trusted({ $ne: accountId }),
      'passkeys.id': trusted({ $in: ids, $type: 'string' }),
    };
    return (await factors.exists(filter)) !== null;
  }

  return {
    find: async (accountId) => toFactors(await factors.findOne({ _id: accountId }).lean()),
    findByPasskey: async (credentialId) =>
      toFactors(
        await factors.findOne({ 'passkeys.id': trusted({ $eq: credentialId, $type: 'string' }) }).lean(),
      ),
    async replace(next, expectedVersion) {
      try {
        return (await write(next, expectedVersion)) ? 'replaced' : 'stale';
      } catch (err) {
        if (!isDuplicateKey(err)) throw err;
        // A concurrent insert for the same account violates both unique indexes.
        return (await hasPasskeyOfOther(next)) ? 'passkey_taken' : 'stale';
      }
    },
    async remove(accountId) {
      const { deletedCount } = await factors.deleteOne({ _id: accountId });
      return deletedCount === 1;
    },
  };
}

/** Creates the function that writes factors; it resolves with `false` if it wrote nothing. */
export function createFactorWriter(connection: Connection) {
  const factors = defineFactors(connection);
  return async function writeFactors(
    { accountId: _id, ...members }: Factors,
    expectedVersion: number,
    options: { session?: ClientSession } = {},
  ): Promise<boolean> {
    if (expectedVersion === 0) {
      await factors.create([{ _id, ...members }], options);
      return true;
    }
    const filter = { _id, version: expectedVersion };
    const { matchedCount } = await factors.updateOne(filter, { $set: members }, options);
    return matchedCount === 1;
  };
}

function toFactors(document: FactorsDocument | null): Factors | undefined {
  if (!document) return undefined;
  const { _id, ...members } = document;
  return deepFreeze({ accountId: _id, ...members });
}

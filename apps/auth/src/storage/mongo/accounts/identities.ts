import { deepFreeze } from '@keydesk/storage/deep-freeze';
import { isDuplicateKey } from '@keydesk/storage/mongo';
import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import { type ClientSession, type Connection, type Model, Schema, trusted } from 'mongoose';
import type { Identities, Identity } from '../../../accounts/identities/identities.ts';
import type { IdentityStore } from '../../../accounts/identities/identity-store.ts';

interface IdentitiesDocument {
  _id: string;
  identities: readonly (Identity & { key: string })[];
  version: number;
}

function defineIdentities(connection: Connection): Model<IdentitiesDocument> {
  const defined = connection.models.Identities;
  if (defined) return defined;
  const mixed = Schema.Types.Mixed;
  const schema = createDocumentSchema<IdentitiesDocument>(
    { _id: String, identities: mixed, version: Number },
    { minimize: false },
  );
  const partialFilterExpression = { 'identities.key': { $type: 'string' } };
  schema.index({ 'identities.key': 1 }, { unique: true, partialFilterExpression });
  return connection.model<IdentitiesDocument>('Identities', schema, 'identities');
}

/** Returns the key of an identity in the unique index. An issuer is a URL and has no space. */
function keyOf({ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>): string {
  return `${issuer} ${subject}`;
}

/** Creates the store of identities in MongoDB. A unique index prevents an identity of two accounts. */
export function createMongoIdentityStore(connection: Connection): IdentityStore {
  const identities = defineIdentities(connection);

  const write = createIdentityWriter(connection);

  async function hasIdentityOfOther({ accountId, identities: own }: Identities): Promise<boolean> {
    const keys = own.map(keyOf);
    const filter = {
      _id: trusted({ $ne: accountId }),
      'identities.key': trusted({ $in: keys, $type: 'string' }),
    };
    return (await identities.exists(filter)) !== null;
  }

  return {
    find: async (accountId) => toIdentities(await identities.findOne({ _id: accountId }).lean()),
    async findByIdentity(issuer, subject) {
      const filter = { 'identities.key': trusted({ $eq: keyOf({ issuer, subject }), $type: 'string' }) };
      const document = toIdentities(await identities.findOne(filter).lean());
      const isFound = document?.identities.some((each) => each.issuer === issuer && each.subject === subject);
      return isFound ? document : undefined;
    },
    async replace(document, expectedVersion) {
      try {
        return (await write(document, expectedVersion)) ? 'replaced' : 'stale';
      } catch (err) {
        if (!isDuplicateKey(err)) throw err;
        // A concurrent insert for the same account violates both unique indexes.
        return (await hasIdentityOfOther(document)) ? 'identity_taken' : 'stale';
      }
    },
    async remove(accountId) {
      const { deletedCount } = await identities.deleteOne({ _id: accountId });
      return deletedCount === 1;
    },
  };
}

/** Creates the function that writes identities; it resolves with `false` if it wrote nothing. */
export function createIdentityWriter(connection: Connection) {
  const identities = defineIdentities(connection);
  return async function writeIdentities(
    { accountId: _id, identities: own, version }: Identities,
    expectedVersion: number,
    options: { session?: ClientSession } = {},
  ): Promise<boolean> {
    const members = { identities: own.map((each) => ({ ...each, key: keyOf(each) })), version };
    if (expectedVersion === 0) {
      await identities.create([{ _id, ...members }], options);
      return true;
    }
    const filter = { _id, version: expectedVersion };
    const { matchedCount } = await identities.updateOne(filter, { $set: members }, options);
    return matchedCount === 1;
  };
}

function toIdentities(document: IdentitiesDocument | null): Identities | undefined {
  if (!document) return undefined;
  const { _id, identities, version } = document;
  return deepFreeze({
    accountId: _id,
    identities: identities.map(({ key: _key, ...each }) => each),
    version,
  });
}

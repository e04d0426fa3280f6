import { isDuplicateKey } from '@keydesk/storage/mongo';
import { createDocumentSchema, createPartSchema } from '@keydesk/storage/mongo-documents';
import type { Connection } from 'mongoose';
import type { KeyStore, StoredKey } from '../../keys/key-store.ts';

interface KeyDocument extends Omit<StoredKey, 'sealedJwk'> {
  sealedJwk: Buffer;
}

interface KeySetDocument {
  _id: string;
  revision: number;
  keys: KeyDocument[];
}

const KEY_SET_ID = 'signing';

function defineKeySets(connection: Connection) {
  const key = createPartSchema<KeyDocument>({
    kid: String,
    algorithm: String,
    sealedJwk: Buffer,
    createdAt: Date,
    activeFrom: Date,
  });
  const schema = createDocumentSchema<KeySetDocument>({ _id: String, revision: Number, keys: [key] });
  return connection.model<KeySetDocument>('KeySet', schema, 'key_sets');
}

/** Creates the key store in MongoDB. The whole set is one document, so that it is always read at one revision. */
export function createMongoKeyStore(connection: Connection): KeyStore {
  const keySets = defineKeySets(connection);

  return {
    async load() {
      const found = await keySets.findOne({ _id: KEY_SET_ID }).lean();
      return found ? { revision: found.revision, keys: found.keys.map(toKey) } : { revision: 0, keys: [] };
    },
    async save(keys, expectedRevision) {
      const update = { $set: { revision: expectedRevision + 1, keys: keys.map(toDocument) } };
      // The first set is inserted; of several concurrent processes the `_id` lets one succeed.
      const options = { upsert: expectedRevision === 0 };
      try {
        const result = await keySets.updateOne(
          { _id: KEY_SET_ID, revision: expectedRevision },
          update,
          options,
        );
        return result.modifiedCount + result.upsertedCount === 1;
      } catch (err) {
        if (isDuplicateKey(err)) return false;
        throw err;
      }
    },
  };
}

function toDocument({ sealedJwk, ...members }: StoredKey): KeyDocument {
  return { ...members, sealedJwk: Buffer.from(sealedJwk) };
}

function toKey({ sealedJwk, ...members }: KeyDocument): StoredKey {
  return { ...members, sealedJwk: Buffer.from(sealedJwk.buffer) };
}

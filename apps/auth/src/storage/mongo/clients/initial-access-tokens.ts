import { deleteExpired } from '@keydesk/storage/mongo-deletion';
import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import { type Connection, trusted } from 'mongoose';
import type {
  InitialAccessToken,
  InitialAccessTokenStore,
} from '../../../clients/registration/initial-access-token-store.ts';

type TokenDocument = Omit<InitialAccessToken, 'id'> & { _id: string };

function defineInitialAccessTokens(connection: Connection) {
  const schema = createDocumentSchema<TokenDocument>({
    _id: String,
    digest: String,
    name: String,
    usesLeft: Number,
    createdAt: Date,
    expiresAt: Date,
  });
  schema.index({ digest: 1 }, { unique: true });
  schema.index({ expiresAt: 1 });
  return connection.model<TokenDocument>('InitialAccessToken', schema, 'initial_access_tokens');
}

/** Creates the store of initial access tokens in MongoDB. */
export function createMongoInitialAccessTokenStore(connection: Connection): InitialAccessTokenStore {
  const tokens = defineInitialAccessTokens(connection);
  const isLive = (digest: string, now: Date) => ({ digest, expiresAt: trusted({ $gt: now }) });

  return {
    async insert({ id, ...members }) {
      await tokens.create([{ _id: id, ...members }]);
    },
    list: async () => (await tokens.find().sort({ _id: 1 }).lean()).map(toToken),
    async find(digest, now) {
      const found = await tokens.findOne(isLive(digest, now)).lean();
      return found ? toToken(found) : undefined;
    },
    async takeUse(digest, now) {
      const hasUses = { ...isLive(digest, now), usesLeft: trusted({ $gt: 0 }) };
      const { modifiedCount } = await tokens.updateOne(hasUses, { $inc: { usesLeft: -1 } });
      return modifiedCount === 1;
    },
    async remove(id) {
      const { deletedCount } = await tokens.deleteOne({ _id: id });
      return deletedCount === 1;
    },
    purgeExpired: (now, limit) => deleteExpired(tokens, now, limit),
  };
}

function toToken({ _id, ...members }: TokenDocument): InitialAccessToken {
  return { id: _id, ...members };
}

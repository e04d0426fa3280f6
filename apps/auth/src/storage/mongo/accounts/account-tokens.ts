import { deleteExpired } from '@keydesk/storage/mongo-deletion';
import { type Connection, Schema, trusted } from 'mongoose';
import type {
  AccountToken,
  AccountTokenStore,
  TokenPurpose,
} from '../../../accounts/account/account-token-store.ts';

type TokenDocument = Omit<AccountToken, 'digest'> & { _id: string };

function defineAccountTokens(connection: Connection) {
  const schema = new Schema<TokenDocument>(
    { _id: String, purpose: String, accountId: String, email: String, expiresAt: Date },
    { versionKey: false, strict: 'throw' },
  );
  schema.index({ accountId: 1 });
  schema.index({ expiresAt: 1 });
  return connection.model<TokenDocument>('AccountToken', schema, 'account_tokens');
}

/** Creates the store of mailed tokens in MongoDB. */
export function createMongoAccountTokenStore(connection: Connection): AccountTokenStore {
  const tokens = defineAccountTokens(connection);

  const isLive = (digest: string, purpose: TokenPurpose, now: Date) => ({
    _id: digest,
    purpose,
    expiresAt: trusted({ $gt: now }),
  });

  return {
    async insert({ digest, ...members }) {
      await tokens.create([{ _id: digest, ...members }]);
    },
    find: async (...token) => toToken(await tokens.findOne(isLive(...token)).lean()),
    redeem: async (...token) => toToken(await tokens.findOneAndDelete(isLive(...token)).lean()),
    async discard(accountId, { except } = {}) {
      const others = except === undefined ? {} : { purpose: trusted({ $ne: except }) };
      await tokens.deleteMany({ accountId, ...others });
    },
    purgeExpired: (now, limit) => deleteExpired(tokens, now, limit),
  };
}

function toToken(document: TokenDocument | null): AccountToken | undefined {
  if (!document) return undefined;
  const { _id, ...members } = document;
  return { digest: _id, ...members };
}

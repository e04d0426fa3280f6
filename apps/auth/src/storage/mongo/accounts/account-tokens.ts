import { deleteExpired } from '@keydesk/storage/mongo-deletion';
import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import { type Connection, trusted } from 'mongoose';
import type {
  AccountToken,
  AccountTokenStore,
  TokenPurpose,
} from '../../../accounts/account/account-token-store.ts';

type TokenDocument = Omit<AccountToken, 'digest'> & { _id: string };

function defineAccountTokens(connection: Connection) {
  const schema = createDocumentSchema<TokenDocument>({
    _id: String,
    purpose: String,
    accountId: String,
    email: String,
    since: Date,
    expiresAt: Date,
  });
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
    async findEarliestSince(accountId, now) {
      const live = { accountId, since: trusted({ $exists: true }), expiresAt: trusted({ $gt: now }) };
      return (await tokens.findOne(live).sort({ since: 1 }).lean())?.since;
    },
    async discard(accountId, { except, expiringBefore } = {}) {
      const isLater = expiringBefore && { expiresAt: trusted({ $gte: expiringBefore }) };
      const isOther = { purpose: trusted({ $ne: except }) };
      const discarded =
        except === undefined ? {} : trusted({ $or: isLater ? [isOther, isLater] : [isOther] });
      await tokens.deleteMany({ accountId, ...discarded });
    },
    purgeExpired: (now, limit) => deleteExpired(tokens, now, limit),
  };
}

function toToken(document: TokenDocument | null): AccountToken | undefined {
  if (!document) return undefined;
  const { _id, ...members } = document;
  return { digest: _id, ...members };
}

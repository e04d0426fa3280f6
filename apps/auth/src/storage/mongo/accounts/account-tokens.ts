import { deleteExpired } from '@keydesk/storage/mongo-deletion';
import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import type { Transactions } from '@keydesk/storage/mongo-transactions';
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
export function createMongoAccountTokenStore(
  connection: Connection,
  transactions: Pick<Transactions, 'run'>,
): AccountTokenStore {
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
    redeemOverLater: (...token) =>
      transactions.run(async (session) => {
        const redeemed = toToken(await tokens.findOneAndDelete(isLive(...token), { session }).lean());
        if (!redeemed) return undefined;
        const { accountId, purpose, expiresAt } = redeemed;
        const isOther = { purpose: trusted({ $ne: purpose }) };
        const isLater = { expiresAt: trusted({ $gte: expiresAt }) };
        await tokens.deleteMany({ accountId, ...trusted({ $or: [isOther, isLater] }) }, { session });
        return redeemed;
      }),
    async findEarliestSince(accountId, now) {
      const live = { accountId, since: trusted({ $exists: true }), expiresAt: trusted({ $gt: now }) };
      return (await tokens.findOne(live).sort({ since: 1 }).lean())?.since;
    },
    async discard(accountId, { except } = {}) {
      await tokens.deleteMany({ accountId, ...(except && { purpose: trusted({ $ne: except }) }) });
    },
    purgeExpired: (now, limit) => deleteExpired(tokens, now, limit),
  };
}

function toToken(document: TokenDocument | null): AccountToken | undefined {
  if (!document) return undefined;
  const { _id, ...members } = document;
  return { digest: _id, ...members };
}

import { isDuplicateKey } from '@keydesk/storage/mongo';
import type { Transactions } from '@keydesk/storage/mongo-transactions';
import type { ClientSession, Connection } from 'mongoose';
import type { CredentialStore, Credentials } from '../../../accounts/credentials/credential-store.ts';
import { createAccountWriter } from './accounts.ts';
import { createFactorWriter } from './factors.ts';
import { createIdentityWriter } from './identities.ts';

/**
 * Creates the store of all credentials of an account in MongoDB. One transaction writes the three documents, including
 * unchanged ones, because a snapshot allows concurrent changes of documents that are only read.
 */
export function createMongoCredentialStore(
  connection: Connection,
  transactions: Pick<Transactions, 'run'>,
): CredentialStore {
  const [writeAccount, writeFactors, writeIdentities] = [
    createAccountWriter(connection),
    createFactorWriter(connection),
    createIdentityWriter(connection),
  ];

  async function writeAll(next: Credentials, session: ClientSession): Promise<boolean> {
    return (
      (await writeAccount(next.account, next.account.version - 1, { session })) &&
      (await writeFactors(next.factors, next.factors.version - 1, { session })) &&
      (await writeIdentities(next.identities, next.identities.version - 1, { session }))
    );
  }

  return {
    async replaceAll(next) {
      try {
        return await transactions.run(async (session) => {
          if (await writeAll(next, session)) return 'replaced';
          await session.abortTransaction();
          return 'stale';
        });
      } catch (err) {
        // Another call has inserted the first version of a document, or another account has the address.
        if (isDuplicateKey(err)) return 'stale';
        throw err;
      }
    },
  };
}

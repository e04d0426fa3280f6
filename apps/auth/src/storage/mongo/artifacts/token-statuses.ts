import { isDuplicateKey } from '@keydesk/storage/mongo';
import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import { type Connection, type QueryFilter, trusted } from 'mongoose';
import {
  blockAfter,
  freeIndexes,
  MAX_STATUSES,
  STATUS_BLOCK,
  type TokenStatusStore,
} from '../../../token-status/token-status-store.ts';
import { type ArtifactDocument, defineArtifacts } from './artifacts.ts';

interface LeaseDocument {
  _id: string;
  leased: number;
}

const LEASE_ID = 'token-status';

function defineLeases(connection: Connection) {
  const schema = createDocumentSchema<LeaseDocument>({ _id: String, leased: Number });
  return connection.model<LeaseDocument>('TokenStatusLease', schema, 'token_status_leases');
}

/** Creates the store of token statuses in MongoDB; the statuses are members of grants. */
export function createMongoTokenStatusStore(connection: Connection): TokenStatusStore {
  const artifacts = defineArtifacts(connection);
  const leases = defineLeases(connection);

  async function list(filter: QueryFilter<ArtifactDocument>): Promise<readonly number[]> {
    const found = await artifacts.find(filter, { statusIndex: 1 }).lean();
    return found.flatMap(({ statusIndex }) => statusIndex ?? []);
  }

  /** Returns the number of indexes leased so far, this block included. */
  async function leaseBlock(): Promise<number> {
    const update = { $inc: { leased: STATUS_BLOCK } };
    const lease = await leases
      .findOneAndUpdate({ _id: { $eq: LEASE_ID } }, update, { returnDocument: 'after' })
      .lean();
    if (lease) return lease.leased;
    try {
      await leases.create({ _id: LEASE_ID, leased: STATUS_BLOCK });
      return STATUS_BLOCK;
    } catch (err) {
      if (isDuplicateKey(err)) return leaseBlock(); // Another process has just leased the first block.
      throw err;
    }
  }

  return {
    async lease() {
      const { first, last } = blockAfter((await leaseBlock()) - STATUS_BLOCK);
      return freeIndexes({ first }, await list({ statusIndex: trusted({ $gte: first, $lte: last }) }));
    },
    async countLeased() {
      const lease = await leases.findOne({ _id: LEASE_ID }).lean();
      return Math.min(lease?.leased ?? 0, MAX_STATUSES);
    },
    listRevoked: (since) => list({ revokedAt: trusted({ $gte: since }) }),
    listOfClient: (clientId) =>
      list({
        clientId,
        isRevoked: trusted({ $exists: false }),
        statusIndex: trusted({ $exists: true }),
      }),
  };
}

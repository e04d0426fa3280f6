import { isDuplicateKey } from '@keydesk/storage/mongo';
import type { Transactions } from '@keydesk/storage/mongo-transactions';
import { type Connection, type Model, Schema, trusted } from 'mongoose';
import { type Client, type ClientSecret, noTrustRequests } from '../../clients/client.ts';
import { usualSecurity } from '../../clients/client-security.ts';
import type { ClientPage, ClientStore } from '../../clients/client-store.ts';
import { deepFreeze, withLaterUses, withoutRetiredScopes } from '../client-record.ts';

type ClientDocument = Omit<Client, 'id'> & { _id: string };

function defineClients(connection: Connection) {
  const secret = new Schema<ClientSecret>(
    { id: String, digest: String, hint: String, createdAt: Date, lastUsedAt: Date, expiresAt: Date },
    { _id: false, id: false, strict: 'throw' },
  );
  const schema = new Schema<ClientDocument>(
    {
      _id: String,
      name: String,
      type: String,
      homePage: String,
      policyUri: String,
      tosUri: String,
      owner: String,
      isVerified: Boolean,
      redirectUris: [String],
      postLogoutRedirectUris: [String],
      backchannelLogoutUri: String,
      initiateLoginUri: String,
      scopes: [String],
      grantTypes: [String],
      authMethod: String,
      jwks: Schema.Types.Mixed,
      security: Schema.Types.Mixed,
      role: String,
      trustRequests: Schema.Types.Mixed,
      secrets: [secret],
      status: String,
      createdAt: Date,
      updatedAt: Date,
      version: Number,
    },
    { versionKey: false, strict: 'throw', minimize: false },
  );
  for (const kind of ['role', 'verification']) {
    const path = `trustRequests.${kind}.status`;
    schema.index({ [path]: 1, _id: 1 }, { partialFilterExpression: { [path]: 'pending' } });
  }
  schema.index({ owner: 1, _id: 1 }, { partialFilterExpression: { owner: { $type: 'string' } } });
  return connection.model<ClientDocument>('Client', schema, 'clients');
}

/**
 * One document for each owner, which all change that register clients for that one or close it, so that they come one by
 * one.
 */
function defineOwners(connection: Connection) {
  const schema = new Schema(
    { _id: String, registrations: Number, isClosed: Boolean },
    { versionKey: false, strict: 'throw' },
  );
  return connection.model('ClientOwner', schema, 'client_owners');
}

const isPending = {
  $or: [{ 'trustRequests.role.status': 'pending' }, { 'trustRequests.verification.status': 'pending' }],
};

async function findPage(
  clients: Model<ClientDocument>,
  filter: Readonly<Record<string, unknown>>,
  { afterId = '', limit }: Pick<ClientPage, 'afterId' | 'limit'>,
): Promise<readonly Client[]> {
  const page = clients.find({ ...filter, _id: trusted({ $gt: afterId }) }).sort({ _id: 1 });
  return (await page.limit(limit).lean()).map(toClient);
}

/** The clients in MongoDB. */
export function createMongoClientStore(connection: Connection, transactions: Transactions): ClientStore {
  const clients = defineClients(connection);
  const owners = defineOwners(connection);

  /** Before the transaction, in which a race for a new document would fail rather than wait. */
  async function prepareOwner(_id: string): Promise<void> {
    try {
      await owners.updateOne({ _id }, { $setOnInsert: { registrations: 0 } }, { upsert: true });
    } catch (err) {
      if (!isDuplicateKey(err)) throw err;
    }
  }

  return {
    async insert(client) {
      try {
        await clients.create([toDocument(client)]);
      } catch (err) {
        if (isDuplicateKey(err)) throw new Error(`There is a client ${client.id} already.`, { cause: err });
        throw err;
      }
    },
    async insertWithin(client, limit) {
      const { owner } = client;
      await prepareOwner(owner);
      return transactions.run(async (session) => {
        const open = { _id: owner, isClosed: trusted({ $ne: true }) };
        const { matchedCount } = await owners.updateOne(open, { $inc: { registrations: 1 } }, { session });
        if (matchedCount === 0) return false;
        if ((await clients.countDocuments({ owner }, { session })) >= limit) return false;
        await clients.create([toDocument(client)], { session });
        return true;
      });
    },
    async closeOwner(owner) {
      await prepareOwner(owner);
      await owners.updateOne({ _id: owner }, { $set: { isClosed: true } });
    },
    async reopenOwner(owner) {
      await owners.updateOne({ _id: owner }, { $unset: { isClosed: 1 } });
    },
    async find(id) {
      const found = await clients.findOne({ _id: id }).lean();
      return found ? toClient(found) : undefined;
    },
    list: ({ owner, ...page }) => findPage(clients, owner === undefined ? {} : { owner }, page),
    listPending: (page) => findPage(clients, isPending, page),
    // The transaction keeps what `touchSecret` writes between the reading and the writing.
    replace: (client, expectedVersion) =>
      transactions.run(async (session) => {
        const stored = await clients
          .findOne({ _id: client.id, version: expectedVersion }, null, { session })
          .lean();
        if (!stored) return false;
        const { _id, ...members } = toDocument(withLaterUses(client, stored.secrets));
        await clients.updateOne({ _id }, { $set: members }, { session });
        return true;
      }),
    async remove(id) {
      const { deletedCount } = await clients.deleteOne({ _id: id });
      return deletedCount === 1;
    },
    async touchSecret(clientId, secretId, at) {
      const latest = { $max: { 'secrets.$[used].lastUsedAt': at } };
      await clients.updateOne({ _id: clientId }, latest, { arrayFilters: [{ 'used.id': secretId }] });
    },
  };
}

function toDocument({ id, ...members }: Client): ClientDocument {
  return { _id: id, ...members };
}

function toClient({ _id, ...members }: ClientDocument): Client {
  // Clients of earlier versions have no URIs for log-out.
  const { homePage = null, policyUri = null, tosUri = null, isVerified = members.owner === null } = members;
  const postLogoutRedirectUris = members.postLogoutRedirectUris ?? [];
  const { backchannelLogoutUri = null, initiateLoginUri = null } = members;
  const trustRequests = members.trustRequests ?? noTrustRequests;
  const security = { ...usualSecurity, ...members.security };
  return deepFreeze({
    ...members,
    id: _id,
    homePage,
    policyUri,
    tosUri,
    isVerified,
    postLogoutRedirectUris,
    backchannelLogoutUri,
    initiateLoginUri,
    trustRequests,
    security,
    scopes: withoutRetiredScopes(members.scopes),
  });
}

import { deepFreeze } from '@keydesk/storage/deep-freeze';
import { isDuplicateKey } from '@keydesk/storage/mongo';
import { createDocumentSchema, createPartSchema } from '@keydesk/storage/mongo-documents';
import type { Transactions } from '@keydesk/storage/mongo-transactions';
import { type ClientSession, type Connection, type Model, type QueryFilter, Schema, trusted } from 'mongoose';
import type { Client, ClientSecret, CoOwner, Invitation } from '../../../clients/client.ts';
import type { ClientPage, ClientStore } from '../../../clients/client-store.ts';
import { withLatestUses } from '../../client-record.ts';
import { createMongoClientLogos } from './client-logos.ts';

type ClientDocument = Omit<Client, 'id'> & { _id: string };

function defineParts() {
  return {
    secret: createPartSchema<ClientSecret>({
      id: String,
      digest: String,
      hint: String,
      createdAt: Date,
      lastUsedAt: Date,
      expiresAt: Date,
    }),
    coOwner: createPartSchema<CoOwner>({ accountId: String, since: Date }),
    invitation: createPartSchema<Invitation>({
      id: String,
      email: String,
      digest: String,
      invitedBy: String,
      status: String,
      createdAt: Date,
      expiresAt: Date,
      closedInVersion: Number,
    }),
  };
}

function defineClients(connection: Connection) {
  const { secret, coOwner, invitation } = defineParts();
  const schema = createDocumentSchema<ClientDocument>(
    {
      _id: String,
      name: String,
      type: String,
      homePage: String,
      policyUri: String,
      tosUri: String,
      logoDigest: String,
      owner: String,
      coOwners: [coOwner],
      invitations: [invitation],
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
    { minimize: false },
  );
  for (const kind of ['role', 'verification']) {
    const path = `trustRequests.${kind}.status`;
    schema.index({ [path]: 1, _id: 1 }, { partialFilterExpression: { [path]: 'pending' } });
  }
  for (const path of ['coOwners.accountId', 'invitations.expiresAt'])
    schema.index({ [path]: 1 }, { sparse: true });
  schema.index({ type: 1, _id: 1 }, { partialFilterExpression: { type: 'resource-server' } });
  schema.index({ status: 1, updatedAt: 1 }, { partialFilterExpression: { status: 'disabled' } });
  // Equality with a string implies this filter, but not a `$type` in MongoDB.
  schema.index({ owner: 1, _id: 1 }, { name: 'owned', partialFilterExpression: { owner: { $gt: '' } } });
  return connection.model<ClientDocument>('Client', schema, 'clients');
}

interface OwnerDocument {
  _id: string;
  registrations: number;
  isClosed?: boolean;
}

/**
 * Defines one document per owner. Every registration for the owner and its closing update it, which serializes them.
 */
function defineOwners(connection: Connection) {
  const schema = createDocumentSchema<OwnerDocument>({
    _id: String,
    registrations: Number,
    isClosed: Boolean,
  });
  return connection.model<OwnerDocument>('ClientOwner', schema, 'client_owners');
}

const isPending = {
  $or: [{ 'trustRequests.role.status': 'pending' }, { 'trustRequests.verification.status': 'pending' }],
};

/** Creates access to the documents of owners. All methods except closing run inside a transaction. */
function createOwners(connection: Connection) {
  const owners = defineOwners(connection);

  /**
   * Creates the document if necessary. Outside of the transaction, because concurrent inserts would fail there instead
   * of waiting.
   */
  async function prepare(_id: string): Promise<void> {
    try {
      await owners.updateOne({ _id }, { $setOnInsert: { registrations: 0 } }, { upsert: true });
    } catch (err) {
      if (!isDuplicateKey(err)) throw err;
    }
  }

  return {
    prepare,
    /** Locks the owner's document for the transaction; `false` if the owner is closed. */
    async lock(owner: string, session: ClientSession): Promise<boolean> {
      const open = { _id: owner, isClosed: trusted({ $ne: true }) };
      const { matchedCount } = await owners.updateOne(open, { $inc: { registrations: 1 } }, { session });
      return matchedCount === 1;
    },
    async close(owner: string): Promise<void> {
      await prepare(owner);
      await owners.updateOne({ _id: owner }, { $set: { isClosed: true } });
    },
    async reopen(owner: string): Promise<void> {
      await owners.updateOne({ _id: owner }, { $unset: { isClosed: 1 } });
    },
  };
}

function createLists(
  clients: Model<ClientDocument>,
): Pick<
  ClientStore,
  'list' | 'listPending' | 'listResourceServers' | 'listDisabled' | 'listWithExpiredInvitations'
> {
  return {
    list: ({ owner, coOwner, ...page }) =>
      findPage(
        clients,
        {
          ...(owner !== undefined && { owner }),
          ...(coOwner !== undefined && { 'coOwners.accountId': coOwner }),
        },
        page,
      ),
    listPending: (page) => findPage(clients, isPending, page),
    async listResourceServers() {
      const found = await clients.find({ type: 'resource-server' }, { _id: 1 }).sort({ _id: 1 }).lean();
      return found.map(({ _id }) => _id);
    },
    async listDisabled(since) {
      const disabled: QueryFilter<ClientDocument> = {
        status: 'disabled',
        updatedAt: trusted({ $gte: since }),
      };
      return (await clients.find(disabled, { _id: 1 }).lean()).map(({ _id }) => _id);
    },
    async listWithExpiredInvitations(before, limit) {
      const invited = clients.find({ 'invitations.expiresAt': trusted({ $lt: before }) });
      return (await invited.sort({ 'invitations.expiresAt': 1 }).limit(limit).lean()).map(toClient);
    },
  };
}

async function findPage(
  clients: Model<ClientDocument>,
  filter: Readonly<Record<string, unknown>>,
  { afterId = '', limit }: Pick<ClientPage, 'afterId' | 'limit'>,
): Promise<readonly Client[]> {
  const page = clients.find({ ...filter, _id: trusted({ $gt: afterId }) }).sort({ _id: 1 });
  return (await page.limit(limit).lean()).map(toClient);
}

type Replacement = Parameters<ClientStore['replace']>;

/** Creates the client store in MongoDB. */
export function createMongoClientStore(connection: Connection, transactions: Transactions): ClientStore {
  const clients = defineClients(connection);
  const owners = createOwners(connection);
  const logos = createMongoClientLogos(connection);

  /** Replaces a client in a transaction, which preserves concurrent writes of `recordSecretUse`. */
  async function replace(session: ClientSession, ...[client, version, logo]: Replacement): Promise<boolean> {
    const stored = await clients.findOne({ _id: client.id, version }, null, { session }).lean();
    if (!stored) return false;
    const { _id, ...members } = toDocument(withLatestUses(client, stored.secrets));
    await clients.updateOne({ _id }, { $set: members }, { session });
    if (logo !== undefined) await logos.set(_id, logo, session);
    return true;
  }

  return {
    async insert(client) {
      try {
        await clients.create([toDocument(client)]);
      } catch (err) {
        if (isDuplicateKey(err)) throw new Error(`Client ${client.id} already exists.`, { cause: err });
        throw err;
      }
    },
    async insertWithinLimit(client, limit) {
      const { owner } = client;
      await owners.prepare(owner);
      return transactions.run(async (session) => {
        if (!(await owners.lock(owner, session))) return false;
        if ((await clients.countDocuments({ owner }, { session })) >= limit) return false;
        await clients.create([toDocument(client)], { session });
        return true;
      });
    },
    closeOwner: owners.close,
    reopenOwner: owners.reopen,
    async find(id) {
      const found = await clients.findOne({ _id: id }).lean();
      return found ? toClient(found) : undefined;
    },
    ...createLists(clients),
    replace: (...change) => transactions.run((session) => replace(session, ...change)),
    findLogo: logos.find,
    async replaceAndAdmit(client, expectedVersion, { account, limit = Number.MAX_SAFE_INTEGER }) {
      await owners.prepare(account);
      return transactions.run(async (session) => {
        if (!(await owners.lock(account, session))) return 'closed';
        const others = { owner: account, _id: trusted({ $ne: client.id }) };
        if (client.owner === account && (await clients.countDocuments(others, { session })) >= limit)
          return 'full';
        return (await replace(session, client, expectedVersion)) ? 'replaced' : 'stale';
      });
    },
    remove: (id, version) =>
      transactions.run(async (session) => {
        const { deletedCount } = await clients.deleteOne({ _id: id, version }, { session });
        if (deletedCount === 1) await logos.set(id, null, session);
        return deletedCount === 1;
      }),
    async recordSecretUse(clientId, secretId, at) {
      const latest = { $max: { 'secrets.$[used].lastUsedAt': at } };
      await clients.updateOne({ _id: clientId }, latest, { arrayFilters: [{ 'used.id': secretId }] });
    },
  };
}

function toDocument({ id, ...members }: Client): ClientDocument {
  return { _id: id, ...members };
}

function toClient({ _id, ...members }: ClientDocument): Client {
  return deepFreeze({ id: _id, ...members });
}

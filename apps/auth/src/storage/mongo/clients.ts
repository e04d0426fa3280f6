import { isDuplicateKey } from '@keydesk/storage';
import { type Connection, Schema, trusted } from 'mongoose';
import type { Client, ClientSecret } from '../../clients/client.ts';
import type { ClientStore } from '../../clients/client-store.ts';
import { deepFreeze, withLaterUses } from '../client-record.ts';

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
      owner: String,
      redirectUris: [String],
      postLogoutRedirectUris: [String],
      scopes: [String],
      grantTypes: [String],
      authMethod: String,
      jwks: Schema.Types.Mixed,
      role: String,
      secrets: [secret],
      status: String,
      createdAt: Date,
      updatedAt: Date,
      version: Number,
    },
    { versionKey: false, strict: 'throw', minimize: false },
  );
  return connection.model<ClientDocument>('Client', schema, 'clients');
}

/** The clients in MongoDB. */
export function createMongoClientStore(connection: Connection): ClientStore {
  const clients = defineClients(connection);

  return {
    async insert(client) {
      try {
        await clients.create([toDocument(client)]);
      } catch (err) {
        if (isDuplicateKey(err)) throw new Error(`There is a client ${client.id} already.`, { cause: err });
        throw err;
      }
    },
    async find(id) {
      const found = await clients.findOne({ _id: id }).lean();
      return found ? toClient(found) : undefined;
    },
    async list({ afterId = '', limit }) {
      const page = clients.find({ _id: trusted({ $gt: afterId }) }).sort({ _id: 1 });
      return (await page.limit(limit).lean()).map(toClient);
    },
    // The transaction keeps what `touchSecret` writes between the reading and the writing.
    replace: (client, expectedVersion) =>
      connection.transaction(async (session) => {
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
  const postLogoutRedirectUris = members.postLogoutRedirectUris ?? [];
  return deepFreeze({ ...members, id: _id, postLogoutRedirectUris });
}

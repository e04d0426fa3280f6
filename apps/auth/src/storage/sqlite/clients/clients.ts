import { deepFreeze } from '@keydesk/storage/deep-freeze';
import type { Sqlite } from '@keydesk/storage/sqlite';
import type {
  Client,
  ClientSecret,
  CoOwner,
  Invitation,
  TrustRequest,
  TrustRequestKind,
} from '../../../clients/client.ts';
import type { ClientStore } from '../../../clients/client-store.ts';
import type { ClientLogo } from '../../../clients/logo/client-logo.ts';
import { withLatestUses } from '../../client-record.ts';
import { createSqliteClientLogos } from './client-logos.ts';

const MAX_CACHED_CLIENTS = 1_000;

/** SQL statements of the store, by name. */
export const clientSql = {
  insert: 'INSERT INTO clients (id, version, document) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  insertWithinLimit: `INSERT INTO clients (id, version, document) SELECT :id, :version, :document
                 WHERE (SELECT count(*) FROM clients WHERE owner = :owner) < :limit
                   AND NOT EXISTS (SELECT 1 FROM closed_client_owners WHERE owner = :owner)`,
  find: 'SELECT document FROM clients WHERE id = ?',
  list: 'SELECT document FROM clients WHERE id > ? ORDER BY id LIMIT ?',
  listOfOwner: 'SELECT document FROM clients WHERE owner = :owner AND id > :afterId ORDER BY id LIMIT :limit',
  listOfCoOwner: `SELECT document FROM client_co_owners JOIN clients ON clients.id = client_co_owners.client_id
                  WHERE account_id = :coOwner AND client_id > :afterId ORDER BY client_id LIMIT :limit`,
  listPending: 'SELECT document FROM clients WHERE is_pending = 1 AND id > ? ORDER BY id LIMIT ?',
  listWithExpiredInvitations:
    'SELECT document FROM clients WHERE invited_until < ? ORDER BY invited_until LIMIT ?',
  listResourceServers: `SELECT id FROM clients
                        WHERE document ->> '$.type' = 'resource-server' AND id > '' ORDER BY id`,
  listDisabled: `SELECT id FROM clients
                 WHERE document ->> '$.status' = 'disabled' AND document ->> '$.updatedAt' >= ?`,
  countOfOwner: 'SELECT count(*) AS count FROM clients WHERE owner = ? AND id <> ?',
  isClosed: 'SELECT 1 FROM closed_client_owners WHERE owner = ?',
  update: 'UPDATE clients SET version = ?, document = ? WHERE id = ?',
  remove: 'DELETE FROM clients WHERE id = ? AND version = ?',
};

const closeOwnerSql = 'INSERT INTO closed_client_owners (owner) VALUES (?) ON CONFLICT DO NOTHING';
const reopenOwnerSql = 'DELETE FROM closed_client_owners WHERE owner = ?';

/** Creates the client store in SQLite. Each client is a JSON document. */
export function createSqliteClientStore(sqlite: Sqlite): ClientStore {
  const { prepare, readOne, commitVersion, write } = sqlite;
  const logos = createSqliteClientLogos(sqlite);
  const insert = prepare(clientSql.insert);
  const insertWithinLimit = prepare(clientSql.insertWithinLimit);
  const countOfOwner = prepare(clientSql.countOfOwner);
  const isClosed = prepare(clientSql.isClosed);
  const find = prepare(clientSql.find);
  const update = prepare(clientSql.update);
  const remove = prepare(clientSql.remove);
  const findRecent = cacheUntilCommit({ commitVersion, load: (id) => readOne(() => load(id)) });

  function load(id: string): Client | undefined {
    const row = find.get(id);
    return row && toClient(String(row.document));
  }

  /** Reads and updates a client. Call it only inside `write`, so that no other change intervenes. */
  function change(id: string, toNext: (stored: Client) => Client | undefined): boolean {
    const stored = load(id);
    const next = stored && toNext(stored);
    if (next) update.run(next.version, JSON.stringify(next), id);
    return next !== undefined;
  }

  function replace(client: Client, expectedVersion: number, logo?: ClientLogo | null): boolean {
    const isReplaced = change(client.id, ({ version, secrets }) =>
      version === expectedVersion ? withLatestUses(client, secrets) : undefined,
    );
    if (isReplaced && logo !== undefined) logos.set(client.id, logo);
    return isReplaced;
  }

  return {
    async insert(client) {
      const { changes } = await write(() => insert.run(client.id, client.version, JSON.stringify(client)));
      if (changes === 0) throw new Error(`Client ${client.id} already exists.`);
    },
    insertWithinLimit: ({ id, version, owner, ...members }, limit) => {
      const document = JSON.stringify({ id, version, owner, ...members });
      return write(() => insertWithinLimit.run({ id, version, owner, document, limit }).changes === 1);
    },
    ...createOwnerClosing(sqlite),
    ...createLists(sqlite),
    find: async (id) => findRecent(id),
    replace: (...change) => write(() => replace(...change)),
    findLogo: async (clientId) => logos.find(clientId),
    replaceAndAdmit: (client, expectedVersion, { account, limit = Number.MAX_SAFE_INTEGER }) =>
      write(() => {
        if (isClosed.get(account)) return 'closed';
        if (client.owner === account && Number(countOfOwner.get(account, client.id)?.count) >= limit)
          return 'full';
        return replace(client, expectedVersion) ? 'replaced' : 'stale';
      }),
    remove: (id, expectedVersion) => write(() => remove.run(id, expectedVersion).changes === 1),
    async recordSecretUse(clientId, secretId, at) {
      await write(() =>
        change(clientId, (stored) => withLatestUses(stored, [{ id: secretId, lastUsedAt: at }])),
      );
    },
  };
}

function createOwnerClosing({
  prepare,
  write,
}: Pick<Sqlite, 'prepare' | 'write'>): Pick<ClientStore, 'closeOwner' | 'reopenOwner'> {
  const closeOwner = prepare(closeOwnerSql);
  const reopenOwner = prepare(reopenOwnerSql);
  return {
    async closeOwner(owner) {
      await write(() => closeOwner.run(owner));
    },
    async reopenOwner(owner) {
      await write(() => reopenOwner.run(owner));
    },
  };
}

function createLists({
  prepare,
  readOne,
}: Pick<Sqlite, 'prepare' | 'readOne'>): Pick<
  ClientStore,
  'list' | 'listPending' | 'listResourceServers' | 'listDisabled' | 'listWithExpiredInvitations'
> {
  const list = prepare(clientSql.list);
  const listOfOwner = prepare(clientSql.listOfOwner);
  const listOfCoOwner = prepare(clientSql.listOfCoOwner);
  const listPending = prepare(clientSql.listPending);
  const listResourceServers = prepare(clientSql.listResourceServers);
  const listDisabled = prepare(clientSql.listDisabled);
  const listWithExpiredInvitations = prepare(clientSql.listWithExpiredInvitations);
  return {
    async list({ owner, coOwner, afterId = '', limit }) {
      const select = () => {
        if (coOwner !== undefined) return listOfCoOwner.all({ coOwner, afterId, limit });
        return owner === undefined ? list.all(afterId, limit) : listOfOwner.all({ owner, afterId, limit });
      };
      return toClients(readOne(select));
    },
    listPending: async ({ afterId = '', limit }) => toClients(readOne(() => listPending.all(afterId, limit))),
    listResourceServers: async () => readOne(() => listResourceServers.all()).map(({ id }) => String(id)),
    listDisabled: async (since) =>
      readOne(() => listDisabled.all(since.toISOString())).map(({ id }) => String(id)),
    listWithExpiredInvitations: async (before, limit) =>
      toClients(readOne(() => listWithExpiredInvitations.all(before.toISOString(), limit))),
  };
}

/** Creates a cache of clients that is valid until the next commit of any process. */
function cacheUntilCommit({
  commitVersion,
  load,
}: Pick<Sqlite, 'commitVersion'> & { load: (id: string) => Client | undefined }) {
  const found = new Map<string, Client>();
  let foundIn: number | undefined;

  return (id: string): Client | undefined => {
    // The state is read first: a client read later may be newer than this state, but never older.
    const current = commitVersion();
    if (current !== foundIn || found.size === MAX_CACHED_CLIENTS) found.clear();
    foundIn = current;
    const client = found.get(id) ?? load(id);
    if (client) found.set(id, client);
    return client;
  };
}

type Stored<T> = { [K in keyof T]: Date extends T[K] ? string | Exclude<T[K], Date> : T[K] };
type StoredClient = Stored<Omit<Client, 'secrets' | 'trustRequests' | 'coOwners' | 'invitations'>> & {
  secrets: readonly Stored<ClientSecret>[];
  trustRequests: Readonly<Record<TrustRequestKind, Stored<TrustRequest> | null>>;
  coOwners: readonly Stored<CoOwner>[];
  invitations: readonly Stored<Invitation>[];
};

function toClients(rows: readonly Readonly<Record<string, unknown>>[]): readonly Client[] {
  return rows.map(({ document }) => toClient(String(document)));
}

function toClient(text: string): Client {
  const stored = JSON.parse(text) as StoredClient;
  return deepFreeze({
    ...stored,
    trustRequests: {
      role: toTrustRequest(stored.trustRequests.role),
      verification: toTrustRequest(stored.trustRequests.verification),
    },
    coOwners: stored.coOwners.map(({ accountId, since }) => ({ accountId, since: new Date(since) })),
    invitations: stored.invitations.map((invitation) => ({
      ...invitation,
      createdAt: new Date(invitation.createdAt),
      expiresAt: new Date(invitation.expiresAt),
    })),
    secrets: stored.secrets.map((secret) => ({
      ...secret,
      createdAt: new Date(secret.createdAt),
      lastUsedAt: toDate(secret.lastUsedAt),
      expiresAt: toDate(secret.expiresAt),
    })),
    createdAt: new Date(stored.createdAt),
    updatedAt: new Date(stored.updatedAt),
  });
}

function toTrustRequest(stored: Stored<TrustRequest> | null): TrustRequest | null {
  if (stored === null) return null;
  return { ...stored, createdAt: new Date(stored.createdAt), closedAt: toDate(stored.closedAt) };
}

function toDate(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

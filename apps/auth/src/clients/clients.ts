import type { KeyObject } from 'node:crypto';
import { AppError } from '@keydesk/http';
import { type Client, type ClientSecret, MAX_SECRETS } from './client.ts';
import { type ClientRequest, toClientSettings } from './client-rules.ts';
import { createClientSecret, digestOf, hintOf } from './client-secret.ts';
import type { ClientStore } from './client-store.ts';

export interface ClientsOptions {
  store: ClientStore;
  /** The key that secrets are digested under. */
  secretKey: KeyObject;
  /** Milliseconds since the epoch. */
  clock: () => number;
  newId: () => string;
}

/** A client and the secret that it was just given, which nobody can be told again. */
export interface WithSecret {
  client: Client;
  secret: string | null;
}

/** What operators do with clients. Every change is seen by all processes with the next token request. */
export interface Clients {
  /** @throws {AppError} `validation_failed` naming every fault */
  add(request: ClientRequest): Promise<WithSecret>;
  /** @throws {AppError} `not_found` */
  get(id: string): Promise<Client>;
  /** Every client, in order of registration. */
  list(): AsyncIterable<Client>;
  /**
   * Gives a client a new secret; the old one works for `overlapSeconds` more, and an older one than that no longer.
   *
   * @throws {AppError} `not_found`, or `conflict` for a client without secrets
   */
  rotateSecret(id: string, overlapSeconds: number): Promise<WithSecret>;
  /** A disabled client is unknown to the server until it is enabled. @throws {AppError} `not_found` */
  setStatus(id: string, status: Client['status']): Promise<Client>;
  /** @throws {AppError} `not_found` */
  remove(id: string): Promise<void>;
}

const PAGE_SIZE = 100;

export function createClients(options: ClientsOptions): Clients {
  const { store, clock, newId } = options;

  async function get(id: string): Promise<Client> {
    const client = await store.find(id);
    if (!client) throw new AppError('not_found', `There is no client ${id}.`);
    return client;
  }

  /** Reads, changes and writes until no other process has come in between. */
  async function change(id: string, toNext: (client: Client) => Client): Promise<Client> {
    for (;;) {
      const client = await get(id);
      const next = { ...toNext(client), updatedAt: new Date(clock()), version: client.version + 1 };
      if (await store.replace(next, client.version)) return next;
    }
  }

  return {
    get,
    async add(request) {
      const settings = toClientSettings(request);
      const { secret, record } = usesSecret(settings)
        ? newSecret(options)
        : { secret: null, record: undefined };
      const now = new Date(clock());
      const client: Client = {
        id: newId(),
        ...settings,
        owner: null,
        secrets: record ? [record] : [],
        status: 'active',
        createdAt: now,
        updatedAt: now,
        version: 1,
      };
      await store.insert(client);
      return { client, secret };
    },
    list: () => listAll(store),
    async rotateSecret(id, overlapSeconds) {
      const { secret, record } = newSecret(options);
      const client = await change(id, (stored) => {
        if (!usesSecret(stored))
          throw new AppError('conflict', `Client ${id} authenticates without a secret.`);
        return { ...stored, secrets: withNewSecret(stored.secrets, record, overlapSeconds) };
      });
      return { client, secret };
    },
    setStatus: (id, status) => change(id, (client) => ({ ...client, status })),
    async remove(id) {
      if (!(await store.remove(id))) throw new AppError('not_found', `There is no client ${id}.`);
    },
  };
}

function newSecret({ secretKey, clock, newId }: ClientsOptions): { secret: string; record: ClientSecret } {
  const secret = createClientSecret();
  const record = {
    id: newId(),
    digest: digestOf(secret, secretKey),
    hint: hintOf(secret),
    createdAt: new Date(clock()),
    lastUsedAt: null,
    expiresAt: null,
  };
  return { secret, record };
}

async function* listAll(store: ClientStore): AsyncIterable<Client> {
  let afterId: string | undefined;
  do {
    const page = await store.list({ limit: PAGE_SIZE, ...(afterId !== undefined && { afterId }) });
    yield* page;
    afterId = page.length === PAGE_SIZE ? page.at(-1)?.id : undefined;
  } while (afterId !== undefined);
}

function usesSecret({ authMethod }: Pick<Client, 'authMethod'>): boolean {
  return authMethod === 'client_secret_basic' || authMethod === 'client_secret_post';
}

/** The new secret beside the latest of the old ones, which from now on has an end; never a later one than it had. */
function withNewSecret(
  secrets: readonly ClientSecret[],
  added: ClientSecret,
  overlapSeconds: number,
): readonly ClientSecret[] {
  const end = new Date(added.createdAt.getTime() + overlapSeconds * 1000);
  const overlapping = overlapSeconds > 0 ? secrets.slice(-(MAX_SECRETS - 1)) : [];
  const ending = overlapping.map((secret) => ({
    ...secret,
    expiresAt: secret.expiresAt !== null && secret.expiresAt < end ? secret.expiresAt : end,
  }));
  return [...ending, added];
}

import type { KeyObject } from 'node:crypto';
import { AppError } from '@keydesk/server';
import { type Client, type ClientProfile, type ClientSecret, noTrustRequests } from './client.ts';
import { type ClientChanges, type ClientChangesOptions, createClientChanges } from './client-changes.ts';
import { listPages } from './client-pages.ts';
import {
  type ClientEdit,
  type ClientRequest,
  changesIdentity,
  toClientSettings,
  toRequest,
} from './client-rules.ts';
import { createClientSecret, toDigest, toHint } from './client-secret.ts';
import { readLogo } from './logo/client-logo.ts';
import { createOwnerChanges, type OwnerChanges } from './owners/owner-changes.ts';
import { addSecret, removeSecret, rotateSecret, usesSecret } from './secret-list.ts';
import { createTrustChanges, type TrustChanges } from './trust/trust-changes.ts';
import { approveGranted, withdrawPending } from './trust/trust-request.ts';

export interface ClientsOptions extends ClientChangesOptions {
  /** Key of the secrets' digests. */
  secretKey: KeyObject;
  /** Revokes everything that was issued to a client: grants, codes and tokens. */
  revokeClient: (clientId: string, at: Date) => Promise<void>;
  /** Stores the status of the tokens that a machine gets for itself, unless it is stored. */
  addMachineStatus: (clientId: string) => Promise<unknown>;
  newId: () => string;
}

/** A client and its new secret, which cannot be shown again. */
export interface ClientWithSecret {
  client: Client;
  secret: string | null;
}

/** The account that registers a client, and the limit of its clients. */
export interface Owner {
  id: string;
  limit: number;
}

/**
 * Manages clients for operators and developers. All processes see a change at the next token request. Methods with
 * an id reject with `AppError('not_found')` if the client does not exist.
 */
export interface Clients extends OwnerChanges, TrustChanges {
  /** Registers an operator's client, which is verified. @throws {AppError} `validation_failed` listing every fault */
  add(request: ClientRequest): Promise<ClientWithSecret>;
  /**
   * Registers a developer's client, which is not verified and has no role.
   *
   * @param id of the client, if the caller needs it before the client exists
   * @throws {AppError} `validation_failed` listing every fault, or `conflict` if the owner has reached the limit
   */
  register(request: Omit<ClientRequest, 'role'>, owner: Owner, id?: string): Promise<ClientWithSecret>;
  get(id: string): Promise<Client>;
  /** Lists every client, or those of one owner, in order of registration. */
  list(owner?: string): AsyncIterable<Client>;
  /**
   * Changes the members that its developer may change. Another name, home page or redirect URI ends the verification.
   *
   * @throws {AppError} `validation_failed`, or `conflict` if the client has another version
   */
  edit(id: string, edit: ClientEdit, version: number): Promise<Client>;
  /**
   * Replaces the client's logo, or removes it with `null`. Another logo ends the verification.
   *
   * @throws {AppError} `validation_failed` with the code of a `LogoFault`
   */
  setLogo(id: string, file: Buffer | null): Promise<Client>;
  /**
   * Gives a client a new secret. The previous one works for `overlapSeconds` more; older ones stop working.
   *
   * @throws {AppError} `conflict` if the client authenticates without a secret
   */
  rotateSecret(id: string, overlapSeconds: number): Promise<ClientWithSecret>;
  /** Adds a secret to the existing ones. @throws {AppError} `conflict` if the client has the maximum number */
  addSecret(id: string): Promise<ClientWithSecret>;
  /** @throws {AppError} `not_found` if the client or the secret does not exist */
  removeSecret(id: string, secretId: string): Promise<Client>;
  /**
   * Sets the API role of a machine client, and approves a pending request for this role.
   *
   * @throws {AppError} `validation_failed` for any other type
   */
  setRole(id: string, role: Client['role']): Promise<Client>;
  /** Starts or ends the verification of a client; approves a pending request for verification. */
  setVerified(id: string, isVerified: boolean): Promise<Client>;
  /** Sets or removes the security profile. @throws {AppError} `validation_failed` if the client cannot comply */
  setProfile(id: string, profile: ClientProfile | null): Promise<Client>;
  /** Enables or disables a client. The server treats a disabled client as unknown. */
  setStatus(id: string, status: Client['status']): Promise<Client>;
  /** Removes a client permanently and revokes everything that was issued to it. */
  remove(id: string): Promise<void>;
}

export function createClients(options: ClientsOptions): Clients {
  const { store } = options;
  const { get, change, changeLogo } = createClientChanges(options);

  async function changeSecret(id: string, toNext: (client: Client, record: ClientSecret) => Client) {
    const { secret, record } = newSecret(options);
    return { client: await change(id, (client) => toNext(client, record)), secret };
  }

  return {
    get,
    async add(request) {
      const added = newClient(request, null, options);
      await store.insert(added.client);
      await prepareTokens(added.client, options);
      return added;
    },
    async register(request, { id: owner, limit }, id) {
      const made = newClient({ ...request, role: null }, owner, options);
      const added = { ...made, client: { ...made.client, id: id ?? made.client.id, owner } };
      if (!(await store.insertWithinLimit(added.client, limit)))
        throw new AppError(
          'conflict',
          `An account may register at most ${limit} applications, and none while it is disabled.`,
        );
      await prepareTokens(added.client, options);
      return added;
    },
    list: (owner) => listPages((page) => store.list({ ...page, owner })),
    listCoOwned: (coOwner) => listPages((page) => store.list({ ...page, coOwner })),
    ...createOwnerChanges({ store, get, change, now: options.now }),
    edit: (id, edit, version) =>
      change(id, (client, now) => {
        if (client.version !== version)
          throw new AppError('conflict', 'The client has changed since it was read; read it again.');
        return toEdited(client, edit, now);
      }),
    setLogo: createSetLogo(options, changeLogo),
    rotateSecret: (id, overlapSeconds) =>
      changeSecret(id, (client, record) => rotateSecret(client, record, overlapSeconds)),
    addSecret: (id) => changeSecret(id, addSecret),
    removeSecret: (id, secretId) => change(id, (client) => removeSecret(client, secretId)),
    setRole: (id, role) =>
      change(id, (client, now) =>
        approveGranted({ ...client, ...toClientSettings({ ...toRequest(client), role }, true) }, now),
      ),
    setProfile: (id, profile) =>
      change(id, (client) => {
        const request = { ...toRequest(client), security: { ...client.security, profile } };
        return { ...client, ...toClientSettings(request, true) };
      }),
    setVerified: (id, isVerified) =>
      change(id, (client, now) => approveGranted({ ...client, isVerified }, now)),
    ...createTrustChanges({ store, change, newId: options.newId }),
    setStatus: (id, status) => change(id, (client) => ({ ...client, status })),
    remove: createRemove(options, { get, change }),
  };
}

/**
 * Stores the status of a machine's tokens, so that issuing one needs no write, not even the first. Runs after the client
 * is stored, so that refused registrations take no status. A failure must not hide a registered client: the first token
 * tries again.
 */
async function prepareTokens(
  { id, type }: Client,
  { addMachineStatus }: Pick<ClientsOptions, 'addMachineStatus'>,
): Promise<void> {
  if (type === 'machine') await addMachineStatus(id).catch(() => undefined);
}

function createRemove(
  { store, revokeClient, now }: Pick<ClientsOptions, 'store' | 'revokeClient' | 'now'>,
  { get, change }: Pick<ClientChanges, 'get' | 'change'>,
): Clients['remove'] {
  return async (id) => {
    // A disabled client receives nothing, and its tokens are refused even if this process is killed before the end.
    await change(id, (client) => ({ ...client, status: 'disabled' }));
    await revokeClient(id, now());
    let isRemoved = false;
    while (!isRemoved) isRemoved = await store.remove(id, (await get(id)).version);
    // Requests in flight may have stored more.
    await revokeClient(id, now());
  };
}

function newClient(request: ClientRequest, owner: string | null, options: ClientsOptions): ClientWithSecret {
  // A client without an owner was registered by an operator, which verifies it.
  const isVerified = owner === null;
  const settings = toClientSettings(request, isVerified);
  const { secret, record } = usesSecret(settings) ? newSecret(options) : { secret: null, record: undefined };
  const at = options.now();
  const client: Client = {
    id: options.newId(),
    ...settings,
    owner,
    coOwners: [],
    invitations: [],
    isVerified,
    logoDigest: null,
    trustRequests: noTrustRequests,
    secrets: record ? [record] : [],
    status: 'active',
    createdAt: at,
    updatedAt: at,
    version: 1,
  };
  return { client, secret };
}

function toEdited(client: Client, edit: ClientEdit, now: Date): Client {
  const settings = toClientSettings({ ...toRequest(client), ...edit }, client.isVerified);
  return revokeTrustOfNewIdentity(client, { ...client, ...settings }, now);
}

function createSetLogo(
  { now }: Pick<ClientsOptions, 'now'>,
  changeLogo: ClientChanges['changeLogo'],
): Clients['setLogo'] {
  return async (id, file) => {
    const logo = file && readLogo(file, now());
    const logoDigest = logo?.digest ?? null;
    return changeLogo(
      id,
      (client, at) => revokeTrustOfNewIdentity(client, { ...client, logoDigest }, at),
      logo,
    );
  };
}

/** Ends the verification and the pending requests of a developer's client if a change gives it another identity. */
function revokeTrustOfNewIdentity(client: Client, changed: Client, now: Date): Client {
  if (client.owner === null || !changesIdentity(client, changed)) return changed;
  return withdrawPending({ ...changed, isVerified: false }, now);
}

function newSecret({ secretKey, now, newId }: ClientsOptions): { secret: string; record: ClientSecret } {
  const secret = createClientSecret();
  const record = {
    id: newId(),
    digest: toDigest(secret, secretKey),
    hint: toHint(secret),
    createdAt: now(),
    lastUsedAt: null,
    expiresAt: null,
  };
  return { secret, record };
}

import type { KeyObject } from 'node:crypto';
import { AppError } from '@keydesk/server';
import type { Client } from '../client.ts';
import { type ClientRequest, toClientSettings } from '../client-rules.ts';
import { findSecret } from '../client-secret.ts';
import type { Clients } from '../clients.ts';
import { toClientRequest, toRegistrationError } from './client-request.ts';
import type { InitialAccessTokenStore } from './initial-access-token-store.ts';
import { createOpaqueToken, isDigestOf, toDigest } from './opaque-token.ts';
import { RegistrationError } from './registration-error.ts';
import type { RegistrationStore } from './registration-store.ts';

export interface RegistrationsOptions {
  clients: Pick<Clients, 'register' | 'get' | 'edit' | 'remove'>;
  registrations: RegistrationStore;
  initialTokens: Pick<InitialAccessTokenStore, 'find' | 'takeUse'>;
  /** Key of the digests of client secrets. */
  secretKey: KeyObject;
  now: () => Date;
  newId: () => string;
  /** The grant types that registered clients may have. */
  grantTypes: readonly string[];
  /** Whether clients may register without an initial access token; only for the certification of the server. */
  isOpen: boolean;
  onEvent(event: RegistrationEvent): Promise<void>;
}

/** Origin of a request; part of audit records. */
export interface Origin {
  address: string;
  requestId: string | null;
}

/** A change of a client that a program registered. */
export interface RegistrationEvent {
  type: 'client.registered' | 'client.changed' | 'client.removed' | 'client.idle_removed';
  at: Date;
  client: Pick<Client, 'id' | 'type' | 'scopes'>;
  /** The client itself, or the initial access token as `registration:<id>`; `null` for the server. */
  by: string | null;
  origin: { address: string; requestId: string | null } | null;
}

type Metadata = Readonly<Record<string, unknown>>;

/** A client with its current registration access token, and with its secret after registration. */
export interface ManagedClient {
  client: Client;
  token: string;
  secret?: string | null;
}

/**
 * Registers clients, and lets them manage their own registration. Rejects invalid requests with a `RegistrationError`.
 * Without the registration access token, the error does not reveal whether the client exists (RFC 7592 §2).
 */
export interface Registrations {
  /** Registers an unverified client without a role (RFC 7591 §3). */
  register(initialToken: string | undefined, metadata: Metadata, origin: Origin): Promise<ManagedClient>;
  /** Reads a client (RFC 7592 §2.1). */
  read(clientId: string, token: string | undefined): Promise<ManagedClient>;
  /** Replaces the metadata of a client; omitted members are reset (RFC 7592 §2.2). Replaces the token. */
  update(
    clientId: string,
    token: string | undefined,
    metadata: Metadata,
    origin: Origin,
  ): Promise<ManagedClient>;
  /** Removes a client and revokes everything that was issued to it (RFC 7592 §2.3). */
  remove(clientId: string, token: string | undefined, origin: Origin): Promise<void>;
}

/** Limit of registrations without an initial access token, in the certification profile. */
const MAX_OPEN_REGISTRATIONS = 10_000;

export function createRegistrations(options: RegistrationsOptions): Registrations {
  const { clients, registrations, now, onEvent } = options;

  async function authenticate(clientId: string, token = ''): Promise<{ client: Client; digest: string }> {
    const registration = await registrations.find(clientId);
    if (!registration || !isDigestOf(registration.tokenDigest, token)) throw invalidToken('registration');
    const client = await clients.get(clientId).catch(asInvalidToken);
    if (client.status === 'disabled')
      throw new RegistrationError('access_denied', 'The client is disabled by an operator.');
    return { client, digest: registration.tokenDigest };
  }

  async function rotate(clientId: string, digest: string): Promise<string> {
    const token = createOpaqueToken('registration');
    if (await registrations.replaceToken(clientId, digest, toDigest(token))) return token;
    throw invalidToken('registration');
  }

  return {
    async register(initialToken, metadata, origin) {
      const authorization = await authorizeRegistration(options, initialToken);
      const request = readRequest(options, metadata);
      await authorization.takeUse();
      const at = now();
      const token = createOpaqueToken('registration');
      const id = options.newId();
      // Before the client: a registration without a client is removed as idle, but a client without a registration never.
      await registrations.insert({ clientId: id, tokenDigest: toDigest(token), createdAt: at, activeAt: at });
      const owner = { id: authorization.owner, limit: authorization.limit };
      const { client, secret } = await clients.register(request, owner, id).catch(asRegistrationError);
      await onEvent({ type: 'client.registered', at, client, by: authorization.owner, origin });
      return { client, token, secret };
    },
    async read(clientId, token) {
      const { client } = await authenticate(clientId, token);
      return { client, token: token ?? '' };
    },
    async update(clientId, token, metadata, origin) {
      const { client, digest } = await authenticate(clientId, token);
      requireOwnMetadata(client, metadata, options);
      const edit = toEdit(client, readRequest(options, metadata));
      const edited = await clients.edit(clientId, edit, client.version).catch(asRegistrationError);
      const next = await rotate(clientId, digest);
      await onEvent({ type: 'client.changed', at: now(), client: edited, by: clientId, origin });
      return { client: edited, token: next };
    },
    async remove(clientId, token, origin) {
      const { client } = await authenticate(clientId, token);
      await clients.remove(clientId).catch(asInvalidToken);
      await registrations.remove(clientId);
      await onEvent({ type: 'client.removed', at: now(), client, by: clientId, origin });
    },
  };
}

/** Checks the initial access token; `takeUse` takes one of its uses, once the metadata is validated. */
async function authorizeRegistration(
  { initialTokens, isOpen, now }: RegistrationsOptions,
  presented: string | undefined,
) {
  if (presented === undefined && isOpen)
    return { owner: 'registration:open', limit: MAX_OPEN_REGISTRATIONS, takeUse: () => Promise.resolve() };
  const at = now();
  const digest = toDigest(presented ?? '');
  const token = await initialTokens.find(digest, at);
  if (!token) throw invalidToken('initial');
  return {
    owner: `registration:${token.id}`,
    limit: Number.MAX_SAFE_INTEGER,
    async takeUse() {
      if (!(await initialTokens.takeUse(digest, at)))
        throw new RegistrationError('access_denied', 'The initial access token has no uses left.');
    },
  };
}

function readRequest({ grantTypes }: RegistrationsOptions, metadata: Metadata) {
  try {
    const request = toClientRequest(metadata, grantTypes);
    toClientSettings(request, false);
    return request;
  } catch (err) {
    throw toRegistrationError(err);
  }
}

const fixedMembers = [
  'registration_access_token',
  'registration_client_uri',
  'client_secret_expires_at',
  'client_id_issued_at',
];

/** Checks the members of an update that must match the client or be absent (RFC 7592 §2.2). */
function requireOwnMetadata(
  client: Client,
  metadata: Metadata,
  { secretKey: key, now }: RegistrationsOptions,
): void {
  const fixed = fixedMembers.filter((member) => metadata[member] !== undefined);
  const { client_secret: secret } = metadata;
  if (fixed.length > 0)
    throw new RegistrationError('invalid_request', `The request must not contain ${fixed.join(', ')}.`);
  if (metadata.client_id !== client.id)
    throw new RegistrationError('invalid_request', 'The client_id must be the id of this client.');
  if (secret !== undefined && !findSecret(client.secrets, String(secret), { key, now: now() }))
    throw new RegistrationError(
      'invalid_request',
      'The client_secret is not a current secret of this client.',
    );
}

/** Rejects a change of the client type or authentication method, on which the safe defaults depend. */
function toEdit(client: Client, request: Omit<ClientRequest, 'role'>) {
  const { type, authMethod, security, ...edit } = request;
  const { profile, isPkceOptional } = client.security;
  if (type === client.type && authMethod === client.authMethod)
    // Only the operator changes the profile and makes PKCE optional.
    return { homePage: null, ...edit, security: { profile, isPkceOptional, ...security } };
  throw new RegistrationError(
    'invalid_client_metadata',
    'grant_types, application_type and token_endpoint_auth_method cannot change; register another client',
  );
}

function invalidToken(kind: 'initial' | 'registration'): RegistrationError {
  return new RegistrationError('invalid_token', `A valid ${kind} access token is required.`);
}

function asInvalidToken(err: unknown): never {
  throw err instanceof AppError && err.code === 'not_found' ? invalidToken('registration') : err;
}

function asRegistrationError(err: unknown): never {
  throw toRegistrationError(err);
}

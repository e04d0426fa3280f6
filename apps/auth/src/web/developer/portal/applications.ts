import type { RateLimiter } from '@keydesk/rate-limit';
import { AppError } from '@keydesk/server';
import { toRateLimitError } from '../../../accounts/limits/sign-in-limits.ts';
import {
  type ApplicationType,
  applicationTypes,
  type Client,
  type TrustRequest,
} from '../../../clients/client.ts';
import type { ClientEdit, ClientRequest } from '../../../clients/client-rules.ts';
import type { Clients, ClientsOptions, ClientWithSecret, Owner } from '../../../clients/clients.ts';
import { isCoOwner } from '../../../clients/owners/co-ownership.ts';
import type { TrustProposal } from '../../../clients/trust/trust-request.ts';

/** A client that developers can own. */
export type Application = Client & { type: ApplicationType };

/**
 * Manages the applications that one developer owns or co-owns. Methods with an id reject with the same
 * `AppError('not_found')` whether the application does not exist or belongs to other developers. Methods for the owner
 * reject with `AppError('forbidden')` for a co-owner.
 */
export interface Applications {
  /** Lists owned and co-owned applications in order of registration. */
  list(): Promise<readonly Application[]>;
  get(id: string): Promise<Application>;
  /** Returns an application to its owner. */
  getOwned(id: string): Promise<Application>;
  /** @throws {AppError} `validation_failed`, or `conflict` if the developer has reached the limit */
  register(request: ClientRequest): Promise<ClientWithSecret>;
  /** @throws {AppError} `validation_failed`, or `conflict` if the application has another version */
  edit(id: string, edit: ClientEdit, version: number): Promise<Client>;
  /** Replaces the logo, or removes it with `null`. @throws {AppError} `validation_failed` with the code of a `LogoFault` */
  setLogo(id: string, file: Buffer | null): Promise<Client>;
  /** @throws {AppError} `conflict` if the application has the maximum number of secrets */
  addSecret(id: string): Promise<ClientWithSecret>;
  removeSecret(id: string, secretId: string): Promise<void>;
  /** @throws {AppError} `validation_failed`, `conflict` while one is pending, or `too_many_requests` */
  requestTrust(id: string, proposal: TrustProposal): Promise<void>;
  /** @throws {AppError} `conflict` if the request is not pending */
  withdrawTrustRequest(id: string, requestId: string): Promise<void>;
  /** @throws {AppError} `not_found` if the invitation is not pending */
  withdrawInvitation(id: string, invitationId: string): Promise<void>;
  /** Removes the developer from the co-owners. @throws {AppError} `forbidden` for the owner, who has to hand over first */
  leave(id: string): Promise<void>;
  /** Removes a co-owner; only for the owner. @throws {AppError} `not_found` unless the account is a co-owner */
  removeCoOwner(id: string, accountId: string): Promise<void>;
  /**
   * Makes a co-owner the owner; only for the owner, who becomes a co-owner.
   *
   * @throws {AppError} `not_found` unless the account is a co-owner, `conflict` with the code `quota_reached` or
   *   `account_closed`
   */
  handOver(id: string, accountId: string): Promise<void>;
  /** Removes an application and revokes everything that was issued to it; only for the owner. */
  remove(id: string): Promise<void>;
}

interface ApplicationsOptions {
  /** Returns the clients with the given access check. */
  openClients(requireAccess: RequireAccess): Clients;
  /** The developer and the limit of their applications. */
  owner: Owner;
  /** Called after a co-owner is removed. */
  onRemoved(client: Client, accountId: string): void;
  /** Called after the owner of an application changes. */
  onHandedOver(client: Client): void;
}

export type RequireAccess = NonNullable<ClientsOptions['requireAccess']>;

export function createApplications(options: ApplicationsOptions): Applications {
  const { openClients, owner } = options;
  const { id: accountId, limit } = owner;
  const shared = openClients(requireShared(accountId));
  const owned = openClients(requireOwned(accountId));

  return {
    async list() {
      const both = [shared.list(accountId), shared.listCoOwned(accountId)];
      const lists = await Promise.all(both.map((list) => Array.fromAsync(list)));
      const inOrder = lists.flat().toSorted((a, b) => (a.id < b.id ? -1 : 1));
      return inOrder.filter(isApplication);
    },
    get: async (id) => requireApplication(await shared.get(id)),
    getOwned: async (id) => requireApplication(await owned.get(id)),
    register: (request) => shared.register(request, owner),
    edit: shared.edit,
    setLogo: shared.setLogo,
    addSecret: shared.addSecret,
    async removeSecret(id, secretId) {
      await shared.removeSecret(id, secretId);
    },
    async requestTrust(id, proposal) {
      await shared.requestTrust(id, proposal);
    },
    async withdrawTrustRequest(id, requestId) {
      await shared.withdrawTrustRequest(id, requestId);
    },
    async withdrawInvitation(id, invitationId) {
      await shared.withdrawInvitation(id, invitationId);
    },
    async leave(id) {
      await openClients(requireCoOwned(accountId)).removeCoOwner(id, accountId);
    },
    async removeCoOwner(id, coOwner) {
      const client = await owned.removeCoOwner(id, coOwner);
      options.onRemoved(client, coOwner);
    },
    async handOver(id, to) {
      const toCoOwner = openClients((client) => {
        requireOwned(accountId)(client);
        if (!isCoOwner(client, to)) throw new AppError('not_found', `Account ${to} is not a co-owner.`);
      });
      options.onHandedOver((await toCoOwner.changeOwner(id, to, { limit })).client);
    },
    remove: owned.remove,
  };
}

/** Rejects clients that the account neither owns nor co-owns. */
export function requireShared(accountId: string): RequireAccess {
  return function requireOwnerOrCoOwner(client) {
    requireApplication(client);
    if (client.owner !== accountId && !isCoOwner(client, accountId)) throw notFound(client);
  };
}

function requireOwned(accountId: string): RequireAccess {
  return function requireOwner(client) {
    requireShared(accountId)(client);
    if (client.owner !== accountId)
      throw new AppError('forbidden', 'Only the owner of the application may do this.');
  };
}

function requireCoOwned(accountId: string): RequireAccess {
  return function requireCoOwner(client) {
    requireShared(accountId)(client);
    if (client.owner === accountId)
      throw new AppError('forbidden', 'The owner cannot leave; make a co-owner the owner first.');
  };
}

function requireApplication(client: Client): Application {
  if (!isApplication(client)) throw notFound(client);
  return client;
}

function isApplication(client: Client): client is Application {
  return applicationTypes.some((type) => type === client.type);
}

function notFound({ id }: Client): AppError {
  return new AppError('not_found', `Client ${id} does not exist.`);
}

interface RequestLimits {
  /** Account of the developer. */
  accountId: string;
  /** Limits new requests of an account, because each can cause a mail to the operator. */
  perAccount: RateLimiter;
  /** Called after a request is stored. */
  onRequested(client: Client, request: TrustRequest): void;
}

/** Wraps clients with a rate limit of trust requests. Rejected requests do not count. */
export function withRequestLimits(
  clients: Clients,
  { accountId, perAccount, onRequested }: RequestLimits,
): Clients {
  return {
    ...clients,
    async requestTrust(id, proposal) {
      const result = await perAccount.consume(accountId);
      if (!result.isAllowed) throw toRateLimitError(result);
      try {
        const client = await clients.requestTrust(id, proposal);
        const request = client.trustRequests[proposal.kind];
        if (request) onRequested(client, request);
        return client;
      } catch (err) {
        await perAccount.refund(accountId);
        throw err;
      }
    },
  };
}

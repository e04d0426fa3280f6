import { AppError } from '@keydesk/http';
import { type ApplicationType, applicationTypes, type Client } from '../clients/client.ts';
import type { ClientEdit, ClientRequest } from '../clients/client-rules.ts';
import type { Clients, ClientsOptions, Owner, WithSecret } from '../clients/clients.ts';
import { isCoOwner } from '../clients/co-ownership.ts';
import type { TrustProposal } from '../clients/trust-request.ts';

/** A client as its owners know it. */
export type Application = Client & { type: ApplicationType };

/**
 * What one developer does with the applications that they own or co-own. What takes an id rejects with
 * `AppError('not_found')` when the application is not there, and in the same words when it is somebody else's. What only
 * its owner may do rejects with `AppError('forbidden')` for a co-owner.
 */
export interface Applications {
  /** In order of registration. */
  list(): Promise<readonly Application[]>;
  get(id: string): Promise<Application>;
  /** For its owner only. */
  getOwned(id: string): Promise<Application>;
  /** @throws {AppError} `validation_failed`, or `conflict` when there are as many as there may be */
  register(request: ClientRequest): Promise<WithSecret>;
  /** @throws {AppError} `validation_failed`, or `conflict` when it is at another version */
  edit(id: string, edit: ClientEdit, version: number): Promise<Client>;
  /** Replaces the logo by a file, or removes it. @throws {AppError} `validation_failed` with the code of a `LogoFault` */
  setLogo(id: string, file: Buffer | null): Promise<Client>;
  /** @throws {AppError} `conflict` when it has as many secrets as it may have */
  addSecret(id: string): Promise<WithSecret>;
  removeSecret(id: string, secretId: string): Promise<void>;
  /** @throws {AppError} `validation_failed`, `conflict` while one is pending, or `too_many_requests` */
  requestTrust(id: string, proposal: TrustProposal): Promise<void>;
  /** @throws {AppError} `conflict` when the request is not pending */
  withdrawTrustRequest(id: string, requestId: string): Promise<void>;
  /** @throws {AppError} `not_found` when the invitation is not pending */
  withdrawInvitation(id: string, invitationId: string): Promise<void>;
  /** Takes this developer out of the co-owners. @throws {AppError} `forbidden` for the owner, who hands over first */
  leave(id: string): Promise<void>;
  /** For its owner only. @throws {AppError} `not_found` when the account is no co-owner */
  removeCoOwner(id: string, accountId: string): Promise<void>;
  /**
   * For its owner only, who becomes a co-owner.
   *
   * @throws {AppError} `not_found` when the account is no co-owner, `conflict` with the code `quota_reached` or
   *   `account_closed`
   */
  handOver(id: string, accountId: string): Promise<void>;
  /** For its owner only. Ends everything that was issued to it, at once. */
  remove(id: string): Promise<void>;
}

export interface ApplicationsOptions {
  /** Opens the clients for a caller with these rights. */
  openClients(requireAccess: RequireAccess): Clients;
  /** The developer. */
  owner: Owner;
  /** Called when a co-owner was removed. */
  onRemoved(client: Client, accountId: string): void;
  /** Called when an application has another owner. */
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

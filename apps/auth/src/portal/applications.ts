import { AppError } from '@keydesk/http';
import { type ApplicationType, applicationTypes, type Client } from '../clients/client.ts';
import type { ClientEdit, ClientRequest } from '../clients/client-rules.ts';
import type { Clients, Owner, WithSecret } from '../clients/clients.ts';
import type { TrustProposal } from '../clients/trust-request.ts';

/** A client as its developer knows it. */
export type Application = Client & { type: ApplicationType };

/**
 * What one developer does with their own applications. What takes an id rejects with `AppError('not_found')` when the
 * application is not there, and in the same words when it is somebody else's.
 */
export interface Applications {
  list(): Promise<readonly Application[]>;
  get(id: string): Promise<Application>;
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
  /** Ends everything that was issued to it, at once. */
  remove(id: string): Promise<void>;
}

export function createApplications(clients: Clients, owner: Owner): Applications {
  async function get(id: string): Promise<Application> {
    const client = await clients.get(id);
    if (client.owner !== owner.id || !isApplication(client))
      throw new AppError('not_found', `There is no client ${id}.`);
    return client;
  }

  /** Owners do not change, so what is theirs now is theirs when it is changed. */
  async function ofOwner<T>(id: string, act: () => Promise<T>): Promise<T> {
    await get(id);
    return act();
  }

  return {
    list: async () => (await Array.fromAsync(clients.list(owner.id))).filter(isApplication),
    get,
    register: (request) => clients.register(request, owner),
    edit: (id, edit, version) => ofOwner(id, () => clients.edit(id, edit, version)),
    setLogo: (id, file) => ofOwner(id, () => clients.setLogo(id, file)),
    addSecret: (id) => ofOwner(id, () => clients.addSecret(id)),
    async removeSecret(id, secretId) {
      await ofOwner(id, () => clients.removeSecret(id, secretId));
    },
    async requestTrust(id, proposal) {
      await ofOwner(id, () => clients.requestTrust(id, proposal));
    },
    async withdrawTrustRequest(id, requestId) {
      await ofOwner(id, () => clients.withdrawTrustRequest(id, requestId));
    },
    remove: (id) => ofOwner(id, () => clients.remove(id)),
  };
}

function isApplication(client: Client): client is Application {
  return applicationTypes.some((type) => type === client.type);
}

import type { Client, TrustRequest } from '../client.ts';
import type { ClientChanges, ClientChangesOptions } from '../client-changes.ts';
import { listPages } from '../client-pages.ts';
import type { ClientStore } from '../client-store.ts';
import {
  addRequest,
  decideRequest,
  notPending,
  pendingRequestsOf,
  type TrustDecision,
  type TrustProposal,
  withdrawRequest,
} from './trust-request.ts';

export interface PendingTrustRequest {
  client: Client;
  request: TrustRequest;
}

/** Requests of developers for more trust, and the decisions of operators. Each change is one version of the client. */
export interface TrustChanges {
  /**
   * Requests a role or verification from the operators.
   *
   * @throws {AppError} `validation_failed` listing every fault, or `conflict` if a request of this kind is pending
   */
  requestTrust(id: string, proposal: TrustProposal): Promise<Client>;
  /** @throws {AppError} `conflict` if the request is not pending */
  withdrawTrustRequest(id: string, requestId: string): Promise<Client>;
  /**
   * Decides a request and grants the requested trust in one write. Exactly one of several concurrent calls succeeds.
   *
   * @throws {AppError} `conflict` if the request is not pending, `validation_failed` for a rejection without a reason
   */
  decideTrustRequest(requestId: string, decision: TrustDecision): Promise<Client>;
  /** Lists every pending request with its client, in order of registration. */
  listPendingRequests(): AsyncIterable<PendingTrustRequest>;
}

interface TrustChangesDeps extends Pick<ClientChanges, 'change'>, Pick<ClientChangesOptions, 'store'> {
  newId: () => string;
}

export function createTrustChanges({ store, change, newId }: TrustChangesDeps): TrustChanges {
  return {
    requestTrust: (id, proposal) => change(id, (client, now) => addRequest(client, proposal, newId(), now)),
    withdrawTrustRequest: (id, requestId) =>
      change(id, (client, now) => withdrawRequest(client, requestId, now)),
    async decideTrustRequest(requestId, decision) {
      for await (const { client, request } of listPendingRequests(store))
        if (request.id === requestId)
          return change(client.id, (current, now) => decideRequest(current, requestId, decision, now));
      throw notPending(requestId);
    },
    listPendingRequests: () => listPendingRequests(store),
  };
}

async function* listPendingRequests(store: ClientStore): AsyncIterable<PendingTrustRequest> {
  for await (const client of listPages((page) => store.listPending(page)))
    for (const request of pendingRequestsOf(client)) yield { client, request };
}

import type { RateLimiter } from '@keydesk/rate-limit';
import { toRateLimitError } from '../accounts/sign-in-limits.ts';
import type { Client, TrustRequest } from '../clients/client.ts';
import type { Clients } from '../clients/clients.ts';

export interface RequestLimits {
  /** Account of the developer. */
  accountId: string;
  /** New requests of an account; each can lead to a mail to the operator. */
  perAccount: RateLimiter;
  /** Called when a request is stored. */
  onRequested(client: Client, request: TrustRequest): void;
}

/** The same clients, with a limit on requests for trust; a request that is refused does not count. */
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

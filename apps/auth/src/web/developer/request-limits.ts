import type { RateLimiter } from '@keydesk/rate-limit';
import { toRateLimitError } from '../../accounts/limits/sign-in-limits.ts';
import type { Client, TrustRequest } from '../../clients/client.ts';
import type { Clients } from '../../clients/clients.ts';

export interface RequestLimits {
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

import type { RateLimiter } from '@keydesk/rate-limit';
import { networkOf } from './network.ts';
import { digestOfEmail, toRateLimitError } from './sign-in-limits.ts';

export interface MailLimiters {
  /** Keyed by the network of the request. */
  perNetwork: RateLimiter;
  /** Keyed by the recipient's mailbox. */
  perRecipient: RateLimiter;
}

/** Limits requests that cause mail, and mails to one recipient. */
export interface MailLimits {
  /** Counts a request. @throws {AppError} `too_many_requests`, with `Retry-After` */
  admit(address: string): Promise<void>;
  /** Counts a mail; resolves with whether it may be sent. The result is never disclosed to the client. */
  allowsMailTo(email: string): Promise<boolean>;
}

export function createMailLimits({ perNetwork, perRecipient }: MailLimiters): MailLimits {
  return {
    async admit(address) {
      const result = await perNetwork.consume(networkOf(address));
      if (!result.isAllowed) throw toRateLimitError(result);
    },
    async allowsMailTo(email) {
      const { isAllowed } = await perRecipient.consume(digestOfEmail(email));
      return isAllowed;
    },
  };
}

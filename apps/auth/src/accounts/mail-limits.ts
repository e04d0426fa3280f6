import type { RateLimiter } from '@keydesk/rate-limit';
import { networkOf } from './network.ts';
import { digestOfEmail, refusalOf } from './sign-in-limits.ts';

export interface MailLimiters {
  /** By network of who asks. */
  perNetwork: RateLimiter;
  /** By the mailbox that is written to. */
  perRecipient: RateLimiter;
}

/** Bounds how often strangers can make the server write to somebody, and how often they can ask. */
export interface MailLimits {
  /** @throws {AppError} `too_many_requests`, with `Retry-After`, whatever is asked for */
  admit(address: string): Promise<void>;
  /** Whether the mailbox may be written to once more; whoever asked is never told. */
  allowsMailTo(email: string): Promise<boolean>;
}

export function createMailLimits({ perNetwork, perRecipient }: MailLimiters): MailLimits {
  return {
    async admit(address) {
      const result = await perNetwork.consume(networkOf(address));
      if (!result.isAllowed) throw refusalOf(result);
    },
    async allowsMailTo(email) {
      const { isAllowed } = await perRecipient.consume(digestOfEmail(email));
      return isAllowed;
    },
  };
}

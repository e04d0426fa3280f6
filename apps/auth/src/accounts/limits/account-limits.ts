import { createRateLimiter, type RateLimiter, type RedisConnection } from '@keydesk/rate-limit';
import type { AccountConfig } from '../account/settings.ts';
import { toNetwork } from './network.ts';
import { createSignInLimits, digestOfEmail, type SignInLimits, toRateLimitError } from './sign-in-limits.ts';

const SIGN_IN_WINDOW_SECONDS = 15 * 60;
const MAIL_WINDOW_SECONDS = 60 * 60;
/** Within a window of 15 minutes, guessing one of three valid codes among a million would succeed too soon. */
const CODES_PER_ACCOUNT_WINDOW_SECONDS = 24 * 60 * 60;
/** Mails about sign-ins, per account and window. */
const SIGN_IN_MAILS = 5;

interface AccountLimits {
  signInLimits: SignInLimits;
  /** Limits of codes of second factors, equal to those of passwords. */
  codeLimits: SignInLimits;
  mailLimits: MailLimits;
  /** Limit of mails about sign-ins, keyed by the account. */
  signInMails: RateLimiter;
}

/** Creates the configured rate limits; processes that use the same Redis share them. */
export function createAccountLimits(config: AccountConfig, redis?: RedisConnection): AccountLimits {
  const attempts =
    (kind: string) =>
    (name: string, points: number, durationSeconds = SIGN_IN_WINDOW_SECONDS) =>
      createRateLimiter({ redis, keyPrefix: `${kind}:${name}`, points, durationSeconds });
  const signIns = attempts('sign-in');
  const codes = attempts('second-factor');
  const mails = (name: string, points: number) =>
    createRateLimiter({ redis, keyPrefix: `mail:${name}`, points, durationSeconds: MAIL_WINDOW_SECONDS });

  return {
    signInLimits: createSignInLimits({
      perDevice: signIns('device', config.signInFailuresPerAccountAndNetwork),
      perAccountAndNetwork: signIns('pair', config.signInFailuresPerAccountAndNetwork),
      perNetwork: signIns('network', config.signInFailuresPerNetwork),
      perAccount: signIns('account', config.signInFailuresPerAccount),
      reports: signIns('report', 1),
    }),
    codeLimits: createSignInLimits({
      perDevice: codes('device', config.signInFailuresPerAccountAndNetwork),
      perAccountAndNetwork: codes('pair', config.signInFailuresPerAccountAndNetwork),
      perNetwork: codes('network', config.signInFailuresPerNetwork),
      perAccount: codes('account', config.signInFailuresPerAccount, CODES_PER_ACCOUNT_WINDOW_SECONDS),
      reports: codes('report', 1),
    }),
    signInMails: mails('sign-in', SIGN_IN_MAILS),
    mailLimits: createMailLimits({
      perNetwork: mails('network', config.mailRequestsPerNetwork),
      perRecipient: mails('recipient', config.mailsPerRecipient),
    }),
  };
}

interface MailLimiters {
  /** Keyed by the network of the request. */
  perNetwork: RateLimiter;
  /** Keyed by the recipient's mailbox. */
  perRecipient: RateLimiter;
}

/** Limits requests that cause mail, and mails to one recipient. */
export interface MailLimits {
  /** Counts a request. @throws {AppError} `too_many_requests`, with `retryAfterSeconds` */
  admit(address: string): Promise<void>;
  /** Counts a mail; resolves with whether it may be sent. The result is never disclosed to the client. */
  allowsMailTo(email: string): Promise<boolean>;
}

function createMailLimits({ perNetwork, perRecipient }: MailLimiters): MailLimits {
  return {
    async admit(address) {
      const result = await perNetwork.consume(toNetwork(address));
      if (!result.isAllowed) throw toRateLimitError(result);
    },
    async allowsMailTo(email) {
      const { isAllowed } = await perRecipient.consume(digestOfEmail(email));
      return isAllowed;
    },
  };
}

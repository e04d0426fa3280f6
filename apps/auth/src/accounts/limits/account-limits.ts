import { createRateLimiter, type RedisConnection } from '@keydesk/rate-limit';
import type { AccountConfig } from '../settings.ts';
import { createMailLimits, type MailLimits } from './mail-limits.ts';
import { createSignInLimits, type SignInLimits } from './sign-in-limits.ts';

const SIGN_IN_WINDOW_SECONDS = 15 * 60;
const MAIL_WINDOW_SECONDS = 60 * 60;

export interface AccountLimits {
  signInLimits: SignInLimits;
  mailLimits: MailLimits;
}

/** Creates the configured rate limits; processes that use the same Redis share them. */
export function createAccountLimits(config: AccountConfig, redis?: RedisConnection): AccountLimits {
  const signIns = (name: string, points: number) =>
    createRateLimiter({
      redis,
      keyPrefix: `sign-in:${name}`,
      points,
      durationSeconds: SIGN_IN_WINDOW_SECONDS,
    });
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
    mailLimits: createMailLimits({
      perNetwork: mails('network', config.mailRequestsPerNetwork),
      perRecipient: mails('recipient', config.mailsPerRecipient),
    }),
  };
}

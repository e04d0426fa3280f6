import { type Config, wholeNumber, yesOrNo } from '@keydesk/config';
import { z } from 'zod';
import { factorSettings } from './factor-settings.ts';
import { passkeySettings } from './passkey-settings.ts';

const attempts = wholeNumber(0, 1_000_000);
const linkTtlSeconds = wholeNumber(60, 7 * 86_400);

/** Settings of accounts, sign-in and mailed links. */
export const accountSettings = {
  ...passkeySettings,
  isSignUpOpen: {
    env: 'SIGN_UP_OPEN',
    schema: yesOrNo.default(true).describe('Allow sign-up; if false, operators add accounts'),
  },
  passwordMinLength: {
    env: 'PASSWORD_MIN_LENGTH',
    schema: wholeNumber(8, 64)
      .default(10)
      .describe('Minimum password length; NIST SP 800-63B-4 requires 15 if the password is the only factor'),
  },
  breachedPasswordsFile: {
    env: 'BREACHED_PASSWORDS_FILE',
    schema: z
      .string()
      .min(1, 'must be a path')
      .optional()
      .describe('File of Pwned Passwords, ordered by SHA-1 hash; users cannot choose these passwords'),
  },
  breachedPasswordsUrl: {
    env: 'BREACHED_PASSWORDS_URL',
    schema: z
      .string()
      .regex(
        /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]).*\/$/,
        'must be an https:// URL with a final slash',
      )
      .optional()
      .describe(
        'Range API of breached passwords, which users cannot choose, such as `https://api.pwnedpasswords.com/range/`; it receives the first five digits of a hash',
      ),
  },
  passwordHashConcurrency: {
    env: 'PASSWORD_HASH_CONCURRENCY',
    schema: wholeNumber(1, 64)
      .optional()
      .describe('Maximum number of concurrent password checks (default: one less than cores and threads)'),
  },
  passwordHashQueue: {
    env: 'PASSWORD_HASH_QUEUE',
    schema: wholeNumber(0, 10_000)
      .default(100)
      .describe(
        'Maximum number of waiting password checks, of which one account or network may use a quarter; further ones are rejected. A check takes 20 to 40 ms',
      ),
  },
  threadPoolSize: {
    env: 'UV_THREADPOOL_SIZE',
    schema: wholeNumber(1, 1_024)
      .default(4)
      .describe("Threads for cryptography and files; Node's own setting"),
  },
  verificationLinkTtlSeconds: {
    env: 'VERIFICATION_LINK_TTL_SECONDS',
    schema: linkTtlSeconds.default(86_400).describe('Lifetime of links that verify an e-mail address'),
  },
  passwordResetLinkTtlSeconds: {
    env: 'PASSWORD_RESET_LINK_TTL_SECONDS',
    schema: linkTtlSeconds.default(1_800).describe('Lifetime of password reset links'),
  },
  emailChangeLinkTtlSeconds: {
    env: 'EMAIL_CHANGE_LINK_TTL_SECONDS',
    schema: linkTtlSeconds.default(86_400).describe('Lifetime of links that confirm a new e-mail address'),
  },
  invitationLinkTtlSeconds: {
    env: 'INVITATION_LINK_TTL_SECONDS',
    schema: linkTtlSeconds
      .default(7 * 86_400)
      .describe('Lifetime of links that invite a co-owner of an application'),
  },
  accountDeletionDays: {
    env: 'ACCOUNT_DELETION_DAYS',
    schema: wholeNumber(1, 365)
      .default(14)
      .describe(
        'Days until an account is deleted after its user has requested it; the user can cancel the deletion until then',
      ),
  },
  signInFailuresPerAccountAndNetwork: {
    env: 'SIGN_IN_FAILURES_PER_ACCOUNT_AND_NETWORK',
    schema: attempts
      .default(10)
      .describe('Wrong passwords per account and network or known device, in 15 minutes; 0: no limit'),
  },
  signInFailuresPerNetwork: {
    env: 'SIGN_IN_FAILURES_PER_NETWORK',
    schema: attempts.default(100).describe('Wrong passwords per network, in 15 minutes; 0: no limit'),
  },
  signInFailuresPerAccount: {
    env: 'SIGN_IN_FAILURES_PER_ACCOUNT',
    schema: attempts
      .default(50)
      .describe(
        'Wrong passwords per account, counted separately on all of its known devices, in 15 minutes; 0: no limit',
      ),
  },
  ...factorSettings,
  mailRequestsPerNetwork: {
    env: 'MAIL_REQUESTS_PER_NETWORK',
    schema: attempts
      .default(20)
      .describe('Sign-ups, resets and other requests that send mail, per network and hour; 0: no limit'),
  },
  mailsPerRecipient: {
    env: 'MAILS_PER_RECIPIENT',
    schema: attempts
      .default(5)
      .describe('Mails caused by unauthenticated requests, per mailbox and hour; 0: no limit'),
  },
} as const;

export type AccountConfig = Config<typeof accountSettings>;

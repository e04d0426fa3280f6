import { type Config, wholeNumber, yesOrNo } from '@keydesk/config';

const attempts = wholeNumber(0, 1_000_000);
const linkTtlSeconds = wholeNumber(60, 7 * 86_400);

/** The settings of accounts, of signing in and of the links in mails. */
export const accountSettings = {
  isSignUpOpen: {
    env: 'SIGN_UP_OPEN',
    schema: yesOrNo
      .default(true)
      .describe('Whether anybody may open an account; otherwise an operator adds them'),
  },
  passwordMinLength: {
    env: 'PASSWORD_MIN_LENGTH',
    schema: wholeNumber(8, 64)
      .default(10)
      .describe(
        'Least number of characters of a password; NIST SP 800-63B-4 asks for 15 where nothing else is asked for',
      ),
  },
  passwordHashConcurrency: {
    env: 'PASSWORD_HASH_CONCURRENCY',
    schema: wholeNumber(1, 64)
      .optional()
      .describe(
        'How many passwords are checked at once; by default one less than there are cores and threads',
      ),
  },
  passwordHashQueue: {
    env: 'PASSWORD_HASH_QUEUE',
    schema: wholeNumber(0, 10_000)
      .default(100)
      .describe(
        'How many passwords may wait to be checked, a quarter of them for one account or network; more are refused, each takes 20 to 40 ms',
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
    schema: linkTtlSeconds
      .default(86_400)
      .describe('How long the link works that verifies an e-mail address'),
  },
  passwordResetLinkTtlSeconds: {
    env: 'PASSWORD_RESET_LINK_TTL_SECONDS',
    schema: linkTtlSeconds.default(1_800).describe('How long the link works that sets another password'),
  },
  emailChangeLinkTtlSeconds: {
    env: 'EMAIL_CHANGE_LINK_TTL_SECONDS',
    schema: linkTtlSeconds
      .default(86_400)
      .describe('How long the link works that confirms another e-mail address'),
  },
  invitationLinkTtlSeconds: {
    env: 'INVITATION_LINK_TTL_SECONDS',
    schema: linkTtlSeconds
      .default(7 * 86_400)
      .describe('How long the link works that invites a co-owner of an application'),
  },
  signInFailuresPerAccountAndNetwork: {
    env: 'SIGN_IN_FAILURES_PER_ACCOUNT_AND_NETWORK',
    schema: attempts
      .default(10)
      .describe(
        'Wrong passwords in 15 minutes for one account from one network or known device; 0: no limit',
      ),
  },
  signInFailuresPerNetwork: {
    env: 'SIGN_IN_FAILURES_PER_NETWORK',
    schema: attempts
      .default(100)
      .describe('Wrong passwords in 15 minutes from one network, whatever the account; 0: no limit'),
  },
  signInFailuresPerAccount: {
    env: 'SIGN_IN_FAILURES_PER_ACCOUNT',
    schema: attempts
      .default(50)
      .describe(
        'Wrong passwords in 15 minutes for one account from everywhere but its known devices; 0: no limit',
      ),
  },
  mailRequestsPerNetwork: {
    env: 'MAIL_REQUESTS_PER_NETWORK',
    schema: attempts
      .default(20)
      .describe('Sign-ups, resets and other requests for mail in an hour from one network; 0: no limit'),
  },
  mailsPerRecipient: {
    env: 'MAILS_PER_RECIPIENT',
    schema: attempts
      .default(5)
      .describe('Mails in an hour that strangers can have sent to one mailbox; 0: no limit'),
  },
} as const;

export type AccountConfig = Config<typeof accountSettings>;

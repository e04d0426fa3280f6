import { createHash } from 'node:crypto';
import { type RateLimiter, type RateLimitResult, tooManyRequests } from '@keydesk/rate-limit';
import type { AppError } from '@keydesk/server';
import { toNetwork } from './network.ts';

/** Attempt to sign in to an account. */
export interface SignInAttempt {
  /** Normalized by `parseEmail`; the account need not exist. */
  email: string;
  /** Address of the client. */
  address: string;
  /** A device that has signed in to the account before, as identified by `DeviceCookies`. */
  device?: string | undefined;
}

export interface SignInLimiters {
  /** Keyed by account and device; used if the device has signed in to the account before. */
  perDevice: RateLimiter;
  /** Keyed by account and network; used for all other clients. */
  perAccountAndNetwork: RateLimiter;
  /** Keyed by network, whatever the account. */
  perNetwork: RateLimiter;
  /**
   * Keyed by account, and separately for all of its devices together; the highest limit, because strangers can use it
   * up. A person who has known the password may have a cookie of many devices.
   */
  perAccount: RateLimiter;
  /**
   * Limits audit records of rejected attempts to one per account, network and window, so that a flood of attempts does
   * not flood the log.
   */
  reports: RateLimiter;
}

/** Admitted attempt. */
export interface Admission {
  /** Result of `toQueueKeys`. A correct password uses up no attempts, so only these keys limit its share of the queue. */
  queueKeys: readonly string[];
  /** Refunds the attempt, because it turned out to be the owner's. */
  refund(): Promise<void>;
}

/** Limits guesses of passwords. */
export interface SignInLimits {
  /**
   * Counts an attempt before the password is checked, so that parallel guesses cannot exceed the limit.
   *
   * @throws {AppError} `too_many_requests`, with `retryAfterSeconds`
   */
  admit(attempt: SignInAttempt): Promise<Admission>;
  /**
   * Counts an attempt with a passkey, which names no account, against its network. Wrong passwords do not use it up.
   *
   * @throws {AppError} `too_many_requests`, with `Retry-After`
   */
  admitPasskey(address: string): Promise<Pick<Admission, 'refund'>>;
  /** Whether a rejected attempt is the first of its account and network in this window. */
  isFirstRejection(attempt: SignInAttempt): Promise<boolean>;
}

/** Limit that applies to an attempt, and its key. */
interface AppliedLimit {
  limiter: RateLimiter;
  key: string;
}

/**
 * Creates limits by account and address. Guesses from one network reach the limit of that network before they use up
 * the limit of the account, and a device that has signed in before has its own limit. So guessing does not lock the
 * owner out.
 */
export function createSignInLimits(limiters: SignInLimiters): SignInLimits {
  return {
    async admit(attempt) {
      const taken: AppliedLimit[] = [];
      for (const limit of toAppliedLimits(attempt, limiters)) {
        const result = await limit.limiter.consume(limit.key);
        if (!result.isAllowed) {
          await refundAll(taken);
          throw toRateLimitError(result);
        }
        taken.push(limit);
      }
      return { queueKeys: toQueueKeys(attempt), refund: () => refundAll(taken) };
    },
    async admitPasskey(address) {
      const limit = { limiter: limiters.perNetwork, key: `passkey\n${toNetwork(address)}` };
      const result = await limit.limiter.consume(limit.key);
      if (!result.isAllowed) throw toRateLimitError(result);
      return { refund: () => refundAll([limit]) };
    },
    async isFirstRejection({ email, address }) {
      const { isAllowed } = await limiters.reports.consume(`${digestOfEmail(email)}\n${toNetwork(address)}`);
      return isAllowed;
    },
  };
}

/**
 * Creates the error with status 429, not the API's 421. Browsers repeat a request after a 421 response (RFC 9110
 * §15.5.20), and each repetition would be another attempt.
 */
export function toRateLimitError(result: RateLimitResult): AppError {
  return tooManyRequests(result, { status: 429 });
}

/** Returns the key of a mailbox in rate limits. A digest, so that Redis stores no e-mail addresses. */
export function digestOfEmail(email: string): string {
  return createHash('sha256').update(email).digest('base64url');
}

/** Returns the applicable limits, narrowest first, so that a rejected attempt does not count against wider ones. */
function toAppliedLimits(
  { email, address, device }: SignInAttempt,
  limiters: SignInLimiters,
): AppliedLimit[] {
  const account = digestOfEmail(email);
  if (device !== undefined)
    return [
      { limiter: limiters.perDevice, key: `${account}\n${device}` },
      { limiter: limiters.perAccount, key: `devices of ${account}` },
    ];
  const network = toNetwork(address);
  return [
    { limiter: limiters.perAccountAndNetwork, key: `${account}\n${network}` },
    { limiter: limiters.perNetwork, key: network },
    { limiter: limiters.perAccount, key: account },
  ];
}

/**
 * Returns the keys to which a queued password check counts: the network and the account. The account's own devices have
 * a separate key, so attempts of strangers do not block them.
 */
export function toQueueKeys({ email, address, device }: SignInAttempt): string[] {
  const whose = device === undefined ? 'strangers' : 'devices';
  return [`network ${toNetwork(address)}`, `${whose} of ${digestOfEmail(email)}`];
}

async function refundAll(limits: readonly AppliedLimit[]): Promise<void> {
  await Promise.all(limits.map(({ limiter, key }) => limiter.refund(key)));
}

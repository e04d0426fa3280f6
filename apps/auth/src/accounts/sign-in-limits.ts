import { createHash } from 'node:crypto';
import type { AppError } from '@keydesk/http';
import { type RateLimiter, type RateLimitResult, tooManyRequests } from '@keydesk/rate-limit';
import { networkOf } from './network.ts';

/** Somebody's claim to be the owner of an account. */
export interface SignInAttempt {
  /** As `parseEmail` gives it; whether there is such an account makes no difference. */
  email: string;
  /** Where the attempt comes from. */
  address: string;
  /** A device that has signed in to the account before, as `DeviceCookies` tells. */
  device?: string | undefined;
}

export interface SignInLimiters {
  /** By account and device, for devices that have signed in to the account before. */
  perDevice: RateLimiter;
  /** By account and network, for everybody else. */
  perAccountAndNetwork: RateLimiter;
  /** By network, whatever the account. */
  perNetwork: RateLimiter;
  /** By account, from anywhere but its own devices; the loosest, because strangers can use it up. */
  perAccount: RateLimiter;
  /** One refusal in a while by account and network is worth a record; a flood of them would be another flood. */
  reports: RateLimiter;
}

/** An attempt that was let through. */
export interface Admission {
  /**
   * As `holdersOf` tells. A right password uses up no attempts, so these alone bound how much of the queue who knows one
   * can hold.
   */
  holders: readonly string[];
  /** Gives back what the attempt took, when it turned out to be the owner's. */
  giveBack(): Promise<void>;
}

/** Bounds how often passwords can be guessed. */
export interface SignInLimits {
  /**
   * Takes an attempt before the password is looked at, so that parallel guesses cannot pass together.
   *
   * @throws {AppError} `too_many_requests`, with `Retry-After`
   */
  admit(attempt: SignInAttempt): Promise<Admission>;
  /** Whether a refused attempt is the first of its account and network in a while. */
  isFirstRefusal(attempt: SignInAttempt): Promise<boolean>;
}

/** One limit, and whom it counts an attempt for. */
interface Share {
  limiter: RateLimiter;
  key: string;
}

/**
 * Limits by account and address. One network that guesses runs into its own bound before it uses up what the account
 * has for everybody, and a device that has signed in before has attempts that nobody else can use up: guessing does not
 * lock the owner out.
 */
export function createSignInLimits(limiters: SignInLimiters): SignInLimits {
  return {
    async admit(attempt) {
      const taken: Share[] = [];
      for (const share of sharesOf(attempt, limiters)) {
        const result = await share.limiter.consume(share.key);
        if (!result.isAllowed) {
          await giveBackAll(taken);
          throw refusalOf(result);
        }
        taken.push(share);
      }
      return { holders: holdersOf(attempt), giveBack: () => giveBackAll(taken) };
    },
    async isFirstRefusal({ email, address }) {
      const { isAllowed } = await limiters.reports.consume(`${digestOfEmail(email)}\n${networkOf(address)}`);
      return isAllowed;
    },
  };
}

/**
 * A refusal with 429, not the API's 421: browsers repeat a request that was answered 421 (RFC 9110 §15.5.20), and each
 * repetition would be another attempt.
 */
export function refusalOf(result: RateLimitResult): AppError {
  return tooManyRequests(result, { status: 429 });
}

/** How limits name a mailbox: Redis gets to see no addresses of people. */
export function digestOfEmail(email: string): string {
  return createHash('sha256').update(email).digest('base64url');
}

/** The narrowest first, so that what it refuses uses up nothing of what others need. */
function sharesOf({ email, address, device }: SignInAttempt, limiters: SignInLimiters): Share[] {
  const account = digestOfEmail(email);
  if (device !== undefined) return [{ limiter: limiters.perDevice, key: `${account}\n${device}` }];
  const network = networkOf(address);
  return [
    { limiter: limiters.perAccountAndNetwork, key: `${account}\n${network}` },
    { limiter: limiters.perNetwork, key: network },
    { limiter: limiters.perAccount, key: account },
  ];
}

/**
 * Whom a place in the queue of passwords counts for: the network and the account. What strangers do at an account keeps
 * its own devices out of no queue.
 */
export function holdersOf({ email, address, device }: SignInAttempt): string[] {
  const whose = device === undefined ? 'strangers' : 'devices';
  return [`network ${networkOf(address)}`, `${whose} of ${digestOfEmail(email)}`];
}

async function giveBackAll(shares: readonly Share[]): Promise<void> {
  await Promise.all(shares.map(({ limiter, key }) => limiter.giveBack(key)));
}

import { availableParallelism } from 'node:os';
import type { FieldError } from '@keydesk/server';
import { rejectInvalid } from '../account/account-operations.ts';
import type { BreachedPasswords } from './breached-passwords.ts';
import {
  type Argon2Parameters,
  createDecoyHash,
  hashPassword,
  isOutdated,
  isPasswordOf,
} from './password-hash.ts';
import { createWorkQueue } from './work-queue.ts';

export interface PasswordHasherOptions {
  /** Maximum number of hashes computed concurrently; see `defaultConcurrency`. */
  concurrency: number;
  /** Maximum number of waiting hashes. Further ones are rejected. */
  maxWaiting: number;
  parameters?: Argon2Parameters | undefined;
  /** Refused as new passwords (default: none). */
  breached?: Pick<BreachedPasswords, 'has'> | undefined;
}

/** Hashes and verifies passwords with limited concurrency. */
export interface PasswordHasher {
  /**
   * @param queueKeys keys to which the task counts; each may fill a quarter of the queue, so that no client can block the
   *   others
   * @throws {AppError} `unavailable` if the queue is full, `too_many_requests` if one of the keys has its share of it
   */
  hash(password: string, queueKeys?: readonly string[]): Promise<string>;
  /**
   * Hashes a new password.
   *
   * @throws {AppError} as `hash`, or `validation_failed` for a password that is known from a data breach
   */
  hashNew(password: string, queueKeys?: readonly string[]): Promise<string>;
  /**
   * Whether the password matches the hash. Without a hash (no such account, or one without a password) resolves with
   * `false` after the same wait and the same work.
   *
   * @param queueKeys as for `hash`
   * @throws {AppError} as for `hash`
   */
  verify(password: string, hash: string | null, queueKeys?: readonly string[]): Promise<boolean>;
  /** Whether the hash has other cost parameters than new hashes. */
  isOutdated(hash: string): boolean;
  /** Returns the number of running and waiting hashes, and the number above which further ones are rejected. */
  load(): { pending: number; limit: number };
}

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane; 20 to 40 ms of one core. */
export const defaultParameters: Argon2Parameters = { memoryKib: 19_456, passes: 2, parallelism: 1 };

const breachedPassword: FieldError = {
  field: 'password',
  code: 'breached',
  message: 'is known from a data breach; choose another one',
};

/** Largest share of the queue for one key. */
const MAX_SHARE = 1 / 4;

/**
 * Default concurrency. It leaves one core to the event loop and one thread of libuv's pool to other work, because Node
 * signs and verifies tokens in the same pool.
 *
 * @param threads size of the pool
 */
export function defaultConcurrency(threads: number, cores = availableParallelism()): number {
  return Math.max(1, Math.min(cores, threads) - 1);
}

/**
 * Creates a password hasher on argon2id. Without a queue, 100 concurrent checks fill libuv's pool: a token would wait
 * seconds for its signature while the event loop looks healthy. Checks of unknown accounts wait in the same queue.
 */
export function createPasswordHasher(options: PasswordHasherOptions): PasswordHasher {
  const { parameters = defaultParameters, concurrency, maxWaiting, breached } = options;
  const maxPerKey = Math.ceil((concurrency + maxWaiting) * MAX_SHARE);
  const queue = createWorkQueue({ concurrency, maxWaiting, maxPerKey });
  const decoy = createDecoyHash(parameters);

  function hash(password: string, queueKeys?: readonly string[]): Promise<string> {
    return queue.run(() => hashPassword(normalizePassword(password), parameters), queueKeys);
  }

  return {
    hash,
    async hashNew(password, queueKeys) {
      if (await breached?.has(normalizePassword(password))) rejectInvalid([breachedPassword]);
      return hash(password, queueKeys);
    },
    verify: (password, hash, queueKeys) =>
      queue.run(() => isPasswordOf(hash ?? decoy, normalizePassword(password)), queueKeys),
    isOutdated: (hash) => isOutdated(hash, parameters),
    load: () => ({ pending: queue.size(), limit: concurrency + maxWaiting }),
  };
}

/**
 * Normalizes a password, because keyboards compose characters differently (NIST SP 800-63B §5.1.1.2 recommends NFKC).
 */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

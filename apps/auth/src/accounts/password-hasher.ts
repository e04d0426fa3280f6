import { availableParallelism } from 'node:os';
import {
  type Argon2Parameters,
  createDecoyHash,
  hashPassword,
  isOutdated,
  isPasswordOf,
} from './password-hash.ts';
import { createWorkQueue } from './work-queue.ts';

export interface PasswordHasherOptions {
  /** How many hashes are computed at once; `defaultConcurrency` says how many are good. */
  concurrency: number;
  /** How many more may wait; beyond them sign-ins are refused rather than kept waiting for ever. */
  maxWaiting: number;
  parameters?: Argon2Parameters | undefined;
}

/** Hashes and checks passwords, a few at a time. */
export interface PasswordHasher {
  /**
   * @param holders whom the wait counts for; each may hold a quarter of the queue, so that nobody keeps all others out
   * @throws {AppError} `unavailable` when too many wait already, `too_many_requests` when too many of one holder do
   */
  hash(password: string, holders?: readonly string[]): Promise<string>;
  /**
   * Whether the password is the hashed one. Without a hash (no such account, or one without a password) the answer
   * is no, after the same wait and the same work.
   *
   * @param holders as for `hash`
   * @throws {AppError} likewise
   */
  verify(password: string, hash: string | null, holders?: readonly string[]): Promise<boolean>;
  /** Whether the hash was made at another cost than new ones are. */
  isOutdated(hash: string): boolean;
}

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane; 20 to 40 ms of one core. */
export const defaultParameters: Argon2Parameters = { memoryKib: 19_456, passes: 2, parallelism: 1 };

/** How much of the queue one holder may have. */
const MAX_SHARE = 1 / 4;

/**
 * How many hashes at once leave a core to the event loop and a thread of libuv's pool, where Node also signs and
 * verifies tokens, to everything else.
 *
 * @param threads size of the pool
 */
export function defaultConcurrency(threads: number, cores = availableParallelism()): number {
  return Math.max(1, Math.min(cores, threads) - 1);
}

/**
 * A password hasher on argon2id. 100 checks at once would fill libuv's pool: a token would wait seconds for its
 * signature while the event loop looks healthy. So they queue here, unknown accounts with the others.
 */
export function createPasswordHasher(options: PasswordHasherOptions): PasswordHasher {
  const { parameters = defaultParameters, concurrency, maxWaiting } = options;
  const maxPerHolder = Math.ceil((concurrency + maxWaiting) * MAX_SHARE);
  const queue = createWorkQueue({ concurrency, maxWaiting, maxPerHolder });
  const decoy = createDecoyHash(parameters);

  return {
    hash: (password, holders) => queue.run(() => hashPassword(normalise(password), parameters), holders),
    verify: (password, hash, holders) =>
      queue.run(() => isPasswordOf(hash ?? decoy, normalise(password)), holders),
    isOutdated: (hash) => isOutdated(hash, parameters),
  };
}

/** One password however a keyboard composes it (NIST SP 800-63B §5.1.1.2 recommends NFKC). */
export function normalise(password: string): string {
  return password.normalize('NFKC');
}

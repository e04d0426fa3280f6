import type { RedisConnection } from './redis-connection.ts';

/** Where used keys are remembered. */
export interface ReplayGuardOptions {
  /** Shares what was used among processes; without it, or while it is unusable, each process remembers alone. */
  redis?: RedisConnection | undefined;
  /** Sets these keys apart from every other's in the same Redis. */
  keyPrefix: string;
  /** Milliseconds since the epoch, for what this process remembers. */
  clock?: () => number;
  /**
   * How many keys this process remembers, of the last two `ttlSeconds` or so. Default: 1,000,000, at 100 bytes each:
   * more than one process can check signatures for in that time.
   */
  maxKeys?: number;
}

/** Lets things be used once, such as the `jti` of a proof (RFC 9449 §11.1). */
export interface ReplayGuard {
  /**
   * True for the first use of a key and false for every other within `ttlSeconds` (whole, from 1): of all who ask at
   * once, exactly one is first. Never takes longer than 300 ms: when Redis does not answer, this process decides
   * alone.
   *
   * @throws {Error} when this process has no room for another key; it never forgets one to make room
   */
  firstUse(key: string, ttlSeconds: number): Promise<boolean>;
}

/**
 * Remembers every key in this process and, when there is one, in Redis: what this process has seen stays used when
 * Redis fails in between.
 */
export function createReplayGuard(options: ReplayGuardOptions): ReplayGuard {
  const { redis, keyPrefix, clock = Date.now, maxKeys = 1_000_000 } = options;
  const isFirstHere = createMemory(clock, maxKeys);
  const isFirstAnywhere = redis && createShared(redis, keyPrefix);
  return {
    async firstUse(key, ttlSeconds) {
      if (!isFirstHere(key, ttlSeconds)) return false;
      return (await isFirstAnywhere?.(key, ttlSeconds)) ?? true;
    },
  };
}

/**
 * Key → when it may be used again, in two generations: when all of the old one have expired it is dropped as a whole
 * and the young one grows old. To delete keys one by one from the front of a large map costs 60 µs a use.
 */
function createMemory(clock: () => number, maxKeys: number) {
  let old = createGeneration();
  let young = createGeneration();

  return function isFirstHere(key: string, ttlSeconds: number): boolean {
    const now = clock();
    if (old.lastEnd <= now) {
      old = young;
      young = createGeneration();
    }
    const end = young.ends.get(key) ?? old.ends.get(key) ?? now;
    if (end > now) return false;
    if (old.ends.size + young.ends.size >= maxKeys)
      throw new Error(`${maxKeys} keys are in use, and no more can be remembered.`);
    young.ends.set(key, now + ttlSeconds * 1_000);
    young.lastEnd = Math.max(young.lastEnd, now + ttlSeconds * 1_000);
    return true;
  };
}

function createGeneration() {
  return { ends: new Map<string, number>(), lastEnd: -Infinity };
}

function createShared({ client, isUsable, reportFailure }: RedisConnection, keyPrefix: string) {
  const write = async (name: string, ttlSeconds: number) =>
    (await client.set(`${keyPrefix}:${name}`, '', 'EX', ttlSeconds, 'NX')) === 'OK';

  /** Undefined when Redis cannot say. */
  return async function isFirstAnywhere(key: string, ttlSeconds: number): Promise<boolean | undefined> {
    if (!isUsable()) return undefined;
    try {
      return await write(key, ttlSeconds);
    } catch (err) {
      // A key that nobody asks for, gone in a second: it must be possible to write again, and not only to PING.
      reportFailure(err, () => write('probe', 1));
      return undefined;
    }
  };
}

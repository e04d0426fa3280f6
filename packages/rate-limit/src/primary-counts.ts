import cluster from 'node:cluster';
import type { RateLimitResult } from './rate-limiter.ts';

/** Points per key and window of one rate limiter. */
export interface Limit {
  keyPrefix: string;
  points: number;
  durationSeconds: number;
}

/** Request of a worker to the primary. */
export type Question =
  | { ask: 'consume' | 'refund'; limit: Limit; key: string; cost: number }
  | { ask: 'firstUse'; keyPrefix: string; key: string; ttlSeconds: number };

export type Answer = RateLimitResult | boolean;

/** The primary serves no requests, so that it responds within milliseconds unless the whole machine is overloaded. */
const RESPONSE_LIMIT_MS = 2_000;

/** Counts in the primary. Each method resolves to `undefined` if the primary does not respond in time. */
export interface PrimaryCounts {
  consume(limit: Limit, key: string, cost: number): Promise<RateLimitResult | undefined>;
  refund(limit: Limit, key: string, cost: number): Promise<boolean | undefined>;
  firstUse(keyPrefix: string, key: string, ttlSeconds: number): Promise<boolean | undefined>;
}

/** One per process, as its channel to the primary. */
let counts: PrimaryCounts | undefined;

/** Returns the counts of the primary in a worker of `node:cluster`, and `undefined` in other processes. */
export function findPrimaryCounts(): PrimaryCounts | undefined {
  if (cluster.isWorker) counts ??= openPrimaryCounts();
  return counts;
}

function openPrimaryCounts(): PrimaryCounts {
  const waiting = new Map<number, (result: unknown) => void>();
  let lastId = 0;

  process.on('message', (message) => {
    if (typeof message !== 'object' || message === null || !('answered' in message)) return;
    waiting.get(message.answered as number)?.('result' in message ? message.result : undefined);
  });

  function ask<T extends Answer>(question: Question): Promise<T | undefined> {
    const id = ++lastId;
    return new Promise((resolve) => {
      const timer = setTimeout(end, RESPONSE_LIMIT_MS);
      function end(result?: unknown): void {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(result as T | undefined);
      }
      waiting.set(id, end);
      process.send?.({ id, question });
    });
  }

  return {
    consume: (limit, key, cost) => ask<RateLimitResult>({ ask: 'consume', limit, key, cost }),
    refund: (limit, key, cost) => ask<boolean>({ ask: 'refund', limit, key, cost }),
    firstUse: (keyPrefix, key, ttlSeconds) => ask<boolean>({ ask: 'firstUse', keyPrefix, key, ttlSeconds }),
  };
}

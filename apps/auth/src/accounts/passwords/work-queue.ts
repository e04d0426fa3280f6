import { AppError } from '@keydesk/server';

export interface WorkQueueOptions {
  /** Maximum number of concurrent tasks. */
  concurrency: number;
  /** Maximum number of waiting tasks. */
  maxWaiting: number;
  /** Maximum number of running and waiting tasks per key (default: no limit). */
  maxPerKey?: number | undefined;
}

/** Queue with limited concurrency; first in, first out. */
export interface WorkQueue {
  /**
   * @param keys keys to which the task counts
   * @throws {AppError} at once, with `retryAfterSeconds`: `unavailable` if the queue is full, `too_many_requests` if
   *   one of the keys has reached its maximum
   */
  run<T>(task: () => Promise<T>, keys?: readonly string[]): Promise<T>;
  /** Returns the number of running and waiting tasks. */
  size(): number;
}

const RETRY_AFTER_SECONDS = 5;

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { concurrency, maxWaiting, maxPerKey = Number.POSITIVE_INFINITY } = options;
  const waiting: (() => void)[] = [];
  const counts = new Map<string, number>();
  let running = 0;

  const countOf = (key: string) => counts.get(key) ?? 0;

  function release(key: string): void {
    if (countOf(key) > 1) counts.set(key, countOf(key) - 1);
    else counts.delete(key);
  }

  async function takeSlot(): Promise<void> {
    if (running < concurrency) {
      running += 1;
      return;
    }
    if (waiting.length >= maxWaiting) throw toOverloadError();
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  /** Hands the slot to the next waiting task directly, so that no later task takes it. */
  function passSlot(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  return {
    size: () => running + waiting.length,
    async run(task, keys = []) {
      if (keys.some((key) => countOf(key) >= maxPerKey)) throw toKeyLimitError();
      for (const key of keys) counts.set(key, countOf(key) + 1);
      try {
        await takeSlot();
        try {
          return await task();
        } finally {
          passSlot();
        }
      } finally {
        keys.forEach(release);
      }
    },
  };
}

function toOverloadError(): AppError {
  return new AppError('unavailable', 'The server is overloaded; try again in a few seconds.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** Status 429; see `toRateLimitError`. */
function toKeyLimitError(): AppError {
  return new AppError('too_many_requests', 'Too many concurrent attempts; try again in a few seconds.', {
    status: 429,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

import { AppError } from '@keydesk/http';

export interface WorkQueueOptions {
  /** How many tasks run at once. */
  concurrency: number;
  /** How many more may wait for their turn. */
  maxWaiting: number;
  /** How many of one holder may run or wait; by default all. */
  maxPerHolder?: number | undefined;
}

/** Runs tasks a few at a time, in the order of their arrival. */
export interface WorkQueue {
  /**
   * @param holders whom the task counts for
   * @throws {AppError} at once, with `Retry-After`: `unavailable` when too many wait already, `too_many_requests` when
   *   too many of one of its holders do
   */
  run<T>(task: () => Promise<T>, holders?: readonly string[]): Promise<T>;
}

const retryAfter = { 'Retry-After': '5' };

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { concurrency, maxWaiting, maxPerHolder = Number.POSITIVE_INFINITY } = options;
  const waiting: (() => void)[] = [];
  const held = new Map<string, number>();
  let running = 0;

  const heldBy = (holder: string) => held.get(holder) ?? 0;

  function giveBack(holder: string): void {
    if (heldBy(holder) > 1) held.set(holder, heldBy(holder) - 1);
    else held.delete(holder);
  }

  async function takeSlot(): Promise<void> {
    if (running < concurrency) {
      running += 1;
      return;
    }
    if (waiting.length >= maxWaiting) throw overloaded();
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  /** Handed to the next in line, so that nobody who arrives in between slips in. */
  function passSlot(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  return {
    async run(task, holders = []) {
      if (holders.some((holder) => heldBy(holder) >= maxPerHolder)) throw tooManyOfOne();
      for (const holder of holders) held.set(holder, heldBy(holder) + 1);
      try {
        await takeSlot();
        try {
          return await task();
        } finally {
          passSlot();
        }
      } finally {
        holders.forEach(giveBack);
      }
    },
  };
}

function overloaded(): AppError {
  return new AppError('unavailable', 'Too many people are signing in right now; try again shortly.', {
    headers: retryAfter,
  });
}

/** With 429, as `refusalOf` says why. */
function tooManyOfOne(): AppError {
  return new AppError('too_many_requests', 'Too many attempts are under way already; try again shortly.', {
    status: 429,
    headers: retryAfter,
  });
}

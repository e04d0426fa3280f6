import { AppError } from '@keydesk/http';

export interface WorkQueueOptions {
  /** How many tasks run at once. */
  concurrency: number;
  /** How many more may wait for their turn. */
  maxWaiting: number;
}

/** Runs tasks a few at a time, in the order of their arrival. */
export interface WorkQueue {
  /** @throws {AppError} `unavailable`, with `Retry-After`, at once when too many wait already */
  run<T>(task: () => Promise<T>): Promise<T>;
}

const RETRY_AFTER_SECONDS = 5;

export function createWorkQueue({ concurrency, maxWaiting }: WorkQueueOptions): WorkQueue {
  const waiting: (() => void)[] = [];
  let running = 0;

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
    async run(task) {
      await takeSlot();
      try {
        return await task();
      } finally {
        passSlot();
      }
    },
  };
}

function overloaded(): AppError {
  return new AppError('unavailable', 'Too many people are signing in right now; try again shortly.', {
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}

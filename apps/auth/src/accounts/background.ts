import { AppError } from '@keydesk/http';

export interface BackgroundOptions {
  /** How many tasks may be under way; what comes beyond them is reported and dropped. */
  maxPending: number;
  onError(err: unknown): void;
}

/**
 * Work that goes on when the answer has been given: what takes time there tells the caller nothing about what was
 * found.
 */
export interface Background {
  /** Begins the task after the current turn of the event loop. A failure is reported, never thrown. */
  run(task: () => Promise<void>): void;
  /** @throws {AppError} `unavailable` when a task would be dropped now */
  requireRoom(): void;
  /** Resolves when nothing is under way: to be awaited before stores are closed. */
  idle(): Promise<void>;
}

export function createBackground({ maxPending, onError }: BackgroundOptions): Background {
  const pending = new Set<Promise<void>>();

  async function perform(task: () => Promise<void>): Promise<void> {
    await new Promise(setImmediate);
    await task();
  }

  const isFull = () => pending.size >= maxPending;

  return {
    run(task) {
      if (isFull()) {
        onError(new Error(`More than ${maxPending} tasks are under way in the background; one was dropped.`));
        return;
      }
      const running = perform(task)
        .catch(onError)
        .finally(() => pending.delete(running));
      pending.add(running);
    },
    requireRoom() {
      if (!isFull()) return;
      throw new AppError('unavailable', 'Too much is being done at once; try again shortly.', {
        headers: { 'Retry-After': '5' },
      });
    },
    async idle() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

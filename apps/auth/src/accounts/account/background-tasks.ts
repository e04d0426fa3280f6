import { AppError } from '@keydesk/server';

export interface BackgroundTasksOptions {
  /** Maximum number of pending tasks; further ones are reported and dropped. */
  maxPending: number;
  onError(err: unknown): void;
}

/** Runs tasks after the response, so that their duration reveals nothing about the outcome to the caller. */
export interface BackgroundTasks {
  /** Starts the task after the current turn of the event loop. Failures go to `onError`, they are never thrown. */
  run(task: () => Promise<void>): void;
  /** @throws {AppError} `unavailable` if a further task would be dropped */
  requireCapacity(): void;
  /** Returns the number of tasks that have not ended. */
  pending(): number;
  /** Resolves when no task is pending. Await it before closing the stores. */
  idle(): Promise<void>;
}

export function createBackgroundTasks({ maxPending, onError }: BackgroundTasksOptions): BackgroundTasks {
  const pending = new Set<Promise<void>>();

  async function perform(task: () => Promise<void>): Promise<void> {
    await new Promise(setImmediate);
    await task();
  }

  const isFull = () => pending.size >= maxPending;

  return {
    run(task) {
      if (isFull()) {
        onError(new Error(`More than ${maxPending} background tasks are pending; one was dropped.`));
        return;
      }
      const running = perform(task)
        .catch(onError)
        .finally(() => pending.delete(running));
      pending.add(running);
    },
    requireCapacity() {
      if (!isFull()) return;
      throw new AppError('unavailable', 'The server is overloaded; try again in a few seconds.', {
        retryAfterSeconds: 5,
      });
    },
    pending: () => pending.size,
    async idle() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

import type { Logger } from 'pino';
import { type RepeatingTask, repeatTask } from './repeat-task.ts';

/** Leases of the processes that share a database. */
export interface LeaseStore {
  acquire(lease: { name: string; holder: string; now: Date; expiresAt: Date }): Promise<boolean>;
  release(lease: { name: string; holder: string }): Promise<void>;
}

export interface LeasedTaskOptions {
  store: LeaseStore;
  name: string;
  /** Id of this process. */
  holder: string;
  now: () => Date;
  log: Pick<Logger, 'warn'>;
  /** Interval at which the lease is extended, or asked for. */
  renewMs?: number;
}

const RENEW_MS = 10_000;
/** Renewals that a process may miss before another one takes over. */
const MISSED_RENEWALS = 3;

/**
 * Runs a task in one of all processes that share a database: in the one that has the lease. Another process takes over
 * at its next renewal when this one stops, and after three of them when it is killed. After a pause of a process two
 * of them may run the task for a moment, so the task must allow it.
 *
 * @param start starts the task; called each time that the lease is acquired
 */
export function runWithLease(options: LeasedTaskOptions, start: () => RepeatingTask): RepeatingTask {
  const { store, name, holder, now, log, renewMs = RENEW_MS } = options;
  let running: RepeatingTask | undefined;

  async function end(): Promise<void> {
    await running?.stop();
    running = undefined;
  }

  async function renew(): Promise<void> {
    try {
      const at = now();
      const expiresAt = new Date(at.getTime() + MISSED_RENEWALS * renewMs);
      if (await store.acquire({ name, holder, now: at, expiresAt })) running ??= start();
      else await end();
    } catch (err) {
      // A running task continues: without a database it cannot work, and no other process can take over.
      log.warn({ err, name }, 'the lease of a periodic job could not be renewed');
    }
  }

  const renewing = repeatTask(renew, { intervalMs: renewMs, delayMs: 0 });
  return {
    async stop() {
      await renewing.stop();
      if (!running) return;
      await end();
      await store
        .release({ name, holder })
        .catch((err) => log.warn({ err, name }, 'the lease of a periodic job could not be released'));
    },
  };
}

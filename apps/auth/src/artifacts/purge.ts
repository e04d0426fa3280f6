import { setTimeout as sleep } from 'node:timers/promises';
import { type RepeatingTask, repeatTask } from '@keydesk/server';
import type { Logger } from 'pino';

/** A store with expiring entries. */
export interface ExpiringStore {
  /** Deletes up to `limit` entries that have expired at `now`, and resolves with their number. */
  purgeExpired(now: Date, limit: number): Promise<number>;
}

export interface PurgeDeps {
  stores: readonly ExpiringStore[];
  now: () => Date;
  log: Logger;
  /** Delay before the first run and between runs. */
  intervalSeconds: number;
  /** Maximum number of entries that one transaction deletes. */
  batch: number;
  /** Called with the number of deleted entries of each batch; feeds a metric. */
  onPurged?: ((count: number) => void) | undefined;
}

/** Purge job for expired entries, which oidc-provider never deletes. */
export interface Purge {
  /** Starts the job. Any number of processes may run it on one database. */
  start(): void;
  /** Stops the job; resolves when the batch in flight has ended. */
  stop(): Promise<void>;
}

/** Pause between two batches, so that requests get access to the database. */
const PAUSE_MS = 10;

/** Creates the purge job. A failed run is logged; the next one runs as scheduled. */
export function createPurge({ stores, now, log, intervalSeconds, batch, onPurged }: PurgeDeps): Purge {
  let job: RepeatingTask | undefined;

  async function purge(store: ExpiringStore, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const count = await store.purgeExpired(now(), batch);
      onPurged?.(count);
      if (count < batch) return;
      await sleep(PAUSE_MS);
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    try {
      for (const store of stores) await purge(store, signal);
    } catch (err) {
      log.error({ err }, 'expired entries could not be purged');
    }
  }

  return {
    start() {
      job ??= repeatTask(run, { intervalMs: intervalSeconds * 1000 });
    },
    async stop() {
      await job?.stop();
      job = undefined;
    },
  };
}

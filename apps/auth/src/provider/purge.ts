import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { repeat } from './repeat.ts';

/** A store whose content expires. */
export interface Expiring {
  /** Deletes up to `limit` entries that have expired at `now`; resolves with how many. */
  purgeExpired(now: Date, limit: number): Promise<number>;
}

export interface PurgeDeps {
  stores: readonly Expiring[];
  /** Milliseconds since the epoch. */
  clock: () => number;
  log: Logger;
  /** From the start, or the end of one run, to the next run. */
  intervalSeconds: number;
  /** How many entries one transaction deletes at most. */
  batch: number;
  /** Told how many entries each batch has deleted, for a metric. */
  onPurged?: ((count: number) => void) | undefined;
}

/** The job that deletes what has expired, which oidc-provider never does. */
export interface Purge {
  /** Any number of processes may run it on one database. */
  start(): void;
  /** Resolves when the batch in flight, if any, has ended; none follows. */
  stop(): Promise<void>;
}

/** Between two batches, so that those who serve requests get the database in between. */
const PAUSE_MS = 10;

/** A run that fails is logged; the next one comes all the same. */
export function createPurge({ stores, clock, log, intervalSeconds, batch, onPurged }: PurgeDeps): Purge {
  let job: ReturnType<typeof repeat> | undefined;
  let isStopping = false;

  async function purge(store: Expiring): Promise<void> {
    while (!isStopping) {
      const count = await store.purgeExpired(new Date(clock()), batch);
      onPurged?.(count);
      if (count < batch) return;
      await sleep(PAUSE_MS);
    }
  }

  async function run(): Promise<void> {
    try {
      for (const store of stores) await purge(store);
    } catch (err) {
      log.error({ err }, 'what has expired could not be purged');
    }
  }

  return {
    start() {
      isStopping = false;
      job ??= repeat(run, intervalSeconds * 1000);
    },
    async stop() {
      isStopping = true;
      await job?.stop();
      job = undefined;
    },
  };
}

import type { Logger } from 'pino';
import type { ChangeStore } from '../feed/change-store.ts';

export interface TombstonePurgeDeps {
  changes: Pick<ChangeStore, 'purgeTombstones'>;
  now: () => Date;
  log: Pick<Logger, 'error' | 'info'>;
  /** Retention period of tombstones in feeds; 0: forever. */
  retentionDays: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH = 500;

/**
 * Creates the task that purges expired tombstones from feeds, so that their size is bounded by the resources that
 * readers see. It may run in any number of processes on one database. Failures are logged and retried by the next run.
 */
export function createTombstonePurge({
  changes,
  now,
  log,
  retentionDays,
}: TombstonePurgeDeps): () => Promise<void> {
  async function purgeAll(): Promise<void> {
    const before = new Date(now().getTime() - retentionDays * DAY_MS);
    let count: number;
    do {
      count = await changes.purgeTombstones(before, BATCH);
      if (count > 0) log.info({ count }, 'purged tombstones from feeds');
    } while (count === BATCH);
  }

  return async function purgeTombstones() {
    if (retentionDays === 0) return;
    await purgeAll().catch((err) => log.error({ err }, 'could not purge tombstones from feeds'));
  };
}

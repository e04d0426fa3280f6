import type { Logger } from 'pino';
import type { ChangeStore } from '../changes/change-store.ts';

export interface ForgettingDeps {
  changes: Pick<ChangeStore, 'forgetGone'>;
  now: () => Date;
  log: Pick<Logger, 'error' | 'info'>;
  /** How long a feed tells that something is gone; 0: for ever. */
  retentionDays: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH = 500;

/**
 * Makes the task that lets feeds forget what is gone for long enough, so that they grow no longer than what their readers
 * see. Any number of processes may run it on one database. What fails is logged, and tried again by the next run.
 */
export function createForgetting({ changes, now, log, retentionDays }: ForgettingDeps): () => Promise<void> {
  async function forgetAll(): Promise<void> {
    const before = new Date(now().getTime() - retentionDays * DAY_MS);
    let count: number;
    do {
      count = await changes.forgetGone(before, BATCH);
      if (count > 0) log.info({ count }, 'feeds have forgotten what is gone');
    } while (count === BATCH);
  }

  return async function forgetChanges() {
    if (retentionDays === 0) return;
    await forgetAll().catch((err) => log.error({ err }, 'feeds could not forget what is gone'));
  };
}

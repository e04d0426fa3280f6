import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { followPrimary, followSignals } from './orders.ts';
import { releaseStartUpMemory } from './start-up-memory.ts';

export interface StopOptions {
  /** Seconds between the signal and the end of service. */
  drainSeconds: number;
  log: Pick<Logger, 'info'>;
}

/** Part of a program that ends in two steps. */
export interface Drained {
  /** Continues to serve until the program ends. */
  drain(): void;
  /** Leaves new connections to other workers; resolves when the open ones are closed. */
  retire?(): Promise<void>;
}

/** A worker that was replaced gives active clients this time at least to use another connection. */
const LEAST_RETIRE_SECONDS = 1;

/**
 * Releases the memory of the start, and resolves when the service must end. SIGTERM or SIGINT drains the given servers
 * and starts the drain period; another signal ends it early. A worker follows its primary instead, and stays ready when
 * it is replaced.
 */
export async function serveUntilStopped(
  drained: readonly Drained[],
  { drainSeconds, log }: StopOptions,
): Promise<void> {
  const orders = cluster.isWorker ? followPrimary() : followSignals();
  releaseStartUpMemory();
  const { order, signal } = await orders.first;
  if (order === 'retire') {
    log.info('retiring, because a new worker has taken over');
    const retired = Promise.all(drained.map((each) => each.retire?.()));
    await Promise.race([retired, pause(Math.max(drainSeconds, LEAST_RETIRE_SECONDS)), orders.next()]);
  } else {
    log.info({ signal, drain_seconds: drainSeconds }, 'draining');
    for (const each of drained) each.drain();
    await Promise.race([pause(drainSeconds), orders.next()]);
  }
  log.info({ signal }, 'stopping');
}

/** Unreferenced, so that the timer does not keep the process alive after a second signal. */
function pause(seconds: number): Promise<void> {
  return sleep(seconds * 1_000, undefined, { ref: false });
}

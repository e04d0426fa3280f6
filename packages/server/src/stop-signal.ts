import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { releaseStartUpMemory } from './start-up-memory.ts';

export interface StopOptions {
  /** Seconds between the signal and the end of service. */
  drainSeconds: number;
  log: Pick<Logger, 'info'>;
}

/**
 * Releases the memory of the start, and resolves when the service must end. SIGTERM or SIGINT drains the given servers and starts the drain period; another
 * signal ends it early.
 */
export async function serveUntilStopped(
  drained: readonly { drain(): void }[],
  { drainSeconds, log }: StopOptions,
): Promise<void> {
  const signalled = nextSignal();
  releaseStartUpMemory();
  const signal = await signalled;
  log.info({ signal, drain_seconds: drainSeconds }, 'draining');
  for (const each of drained) each.drain();
  // Unreferenced, so that the timer does not keep the process alive after a second signal.
  await Promise.race([sleep(drainSeconds * 1_000, undefined, { ref: false }), nextSignal()]);
  log.info({ signal }, 'stopping');
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
  });
}

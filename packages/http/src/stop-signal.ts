import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

export interface StopOptions {
  /** Time in seconds from the signal to the end of service. */
  drainSeconds: number;
  log: Pick<Logger, 'info'>;
}

/**
 * Resolves when service has to end. SIGTERM or SIGINT drains all that is given; the drain period follows, which another
 * signal cuts short.
 */
export async function serveUntilStopped(
  drained: readonly { drain(): void }[],
  { drainSeconds, log }: StopOptions,
): Promise<void> {
  const signal = await nextSignal();
  log.info({ signal, drain_seconds: drainSeconds }, 'draining');
  for (const each of drained) each.drain();
  // Without a reference: after a second signal the timer must not keep the process alive.
  await Promise.race([sleep(drainSeconds * 1_000, undefined, { ref: false }), nextSignal()]);
  log.info({ signal }, 'stopping');
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
  });
}

import type { Logger } from 'pino';
import { followSignals } from './orders.ts';
import { releaseStartUpMemory } from './start-up-memory.ts';
import { createWorkerPool } from './worker-pool.ts';

export interface SupervisorOptions {
  /** Number of workers. */
  workers: number;
  /** Drain period of a worker. */
  drainSeconds: number;
  log: Pick<Logger, 'info' | 'error'>;
  /** Address of the listener for metrics, which the primary serves. */
  host: string;
  metricsPort: number | undefined;
}

/** Time limit for a worker to end after its drain period: more than the programs allow themselves. */
const WORKER_STOP_LIMIT_MS = 20_000;

/**
 * Runs the main module of this process in workers, which share its ports, and restarts each that crashes. SIGHUP
 * replaces them one at a time. SIGTERM or SIGINT drains and ends all of them; another signal ends the drain
 * period.
 */
export async function supervise({
  workers,
  drainSeconds,
  log,
  host,
  metricsPort,
}: SupervisorOptions): Promise<void> {
  const stopLimitMs = drainSeconds * 1_000 + WORKER_STOP_LIMIT_MS;
  const pool = createWorkerPool({ count: workers, stopLimitMs, log });
  // Loads the metrics only if their port is set.
  const metrics =
    metricsPort === undefined
      ? undefined
      : await (await import('../metrics/primary-metrics.ts')).servePrimaryMetrics(pool, {
          host,
          metricsPort,
        });
  releaseStartUpMemory();
  const orders = followSignals();
  const started = pool.start();
  onHangUp(async () => {
    if (await started) await pool.replaceAll();
  });
  const failed = started.then((isServing) => (isServing ? orders.first : undefined));
  const first = await Promise.race([orders.first, failed]);
  if (!first) {
    // The worker has printed the reason.
    process.exitCode = 1;
    return metrics?.close();
  }
  log.info({ signal: first.signal }, 'stopping the workers');
  void orders.next().then(pool.hurry);
  if (!(await pool.stop())) process.exitCode = 1;
  await metrics?.close();
}

/** Runs a task at each SIGHUP, one run at a time; signals during a run cause one further run. */
function onHangUp(task: () => Promise<void>): void {
  let isRunning = false;
  let isAskedAgain = false;

  async function run(): Promise<void> {
    isRunning = true;
    do {
      isAskedAgain = false;
      await task();
    } while (isAskedAgain);
    isRunning = false;
  }

  process.on('SIGHUP', () => {
    if (isRunning) isAskedAgain = true;
    else void run();
  });
}

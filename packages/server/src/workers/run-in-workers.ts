import cluster from 'node:cluster';
import { type SupervisorOptions, supervise } from './supervise.ts';

export interface RunOptions extends Omit<SupervisorOptions, 'workers' | 'log'> {
  /** Number of workers; `undefined`: this process runs the program alone. */
  workers: number | undefined;
  /** Creates the log of the primary. */
  openLog: () => SupervisorOptions['log'];
  /** Prepares the primary before its first worker starts. */
  prepare?: () => void;
}

/** Runs a program in this process, or in workers that run the same main module, while this process supervises them. */
export async function runInWorkers(
  run: () => Promise<void>,
  { workers, openLog, prepare, ...options }: RunOptions,
): Promise<void> {
  if (cluster.isWorker) await runAsWorker(run);
  else if (workers === undefined) await run();
  else {
    prepare?.();
    await supervise({ ...options, workers, log: openLog() });
  }
}

async function runAsWorker(run: () => Promise<void>): Promise<void> {
  // A terminal or supervisor may send SIGHUP to all processes; the primary acts on it.
  process.on('SIGHUP', () => undefined);
  try {
    await run();
  } finally {
    // The channel to the primary would keep the process running.
    cluster.worker?.disconnect();
  }
}

import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { countCrashes, toDelayMs } from './back-off.ts';
import { startWorker, type WorkerProcess } from './worker-process.ts';

export interface WorkerPoolOptions {
  /** Number of workers. */
  count: number;
  /** Time from an order to end until a worker is killed. */
  stopLimitMs: number;
  log: Pick<Logger, 'info' | 'error'>;
}

/** Worker processes of one program. */
export interface WorkerPool {
  /**
   * Starts the first worker, and the others when it serves: one process creates or migrates the database and reports
   * faults. Resolves to false if it ends before it serves.
   */
  start(): Promise<boolean>;
  /** Replaces the workers one at a time. If a new one cannot start, the remaining ones stay. */
  replaceAll(): Promise<void>;
  /** Drains and ends all workers. Resolves to false if one failed or was killed. */
  stop(): Promise<boolean>;
  /** Ends the drain period of `stop`. */
  hurry(): void;
  /** Number of workers that serve. */
  serving(): number;
  /** Calls a function for each worker that ends without an order. */
  onCrash(listener: () => void): void;
}

/** Creates a pool of workers, which run the main module of this process. */
export function createWorkerPool({ count, stopLimitMs, log }: WorkerPoolOptions): WorkerPool {
  const members = new Set<WorkerProcess>();
  const stopping = new AbortController();
  const { signal } = stopping;
  const crashed = new EventEmitter<{ crash: [] }>();

  function launch(): WorkerProcess {
    const worker = startWorker({ stopLimitMs, log });
    members.add(worker);
    void worker.ended.then(() => members.delete(worker));
    return worker;
  }

  /** Starts a worker again, later with each consecutive crash, whenever it ends without an order. */
  async function keepAlive(worker: WorkerProcess, crashesBefore = 0): Promise<void> {
    const startedAt = performance.now();
    const { isOrdered, ...end } = await worker.ended;
    if (isOrdered || signal.aborted) return;
    const crashes = countCrashes(crashesBefore, performance.now() - startedAt);
    const delayMs = toDelayMs(crashes);
    const record = { event: 'worker.crashed', worker_pid: worker.pid, ...end, restart_in_ms: delayMs };
    log.error(record, 'a worker ended unexpectedly and is started again');
    crashed.emit('crash');
    await sleep(delayMs, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await keepAlive(launch(), crashes);
  }

  async function replace(worker: WorkerProcess): Promise<boolean> {
    const successor = launch();
    if (!(await successor.served)) return false;
    void keepAlive(successor);
    if (!signal.aborted) await worker.end('retire');
    return true;
  }

  return {
    async start() {
      const first = launch();
      if (!(await first.served)) return false;
      void keepAlive(first);
      log.info({ count }, 'the first worker serves; starting the others');
      for (let started = 1; started < count && !signal.aborted; started++) void keepAlive(launch());
      return true;
    },
    async replaceAll() {
      for (const worker of [...members]) {
        // A crashed one has a new successor already.
        if (signal.aborted || !members.has(worker) || (await replace(worker))) continue;
        if (!signal.aborted)
          log.error({ event: 'workers.kept' }, 'a new worker cannot start; the earlier ones stay');
        return;
      }
      log.info({ event: 'workers.replaced' }, 'all workers are replaced');
    },
    async stop() {
      stopping.abort();
      const ends = await Promise.all([...members].map((worker) => worker.end('stop')));
      return ends.every(Boolean);
    },
    hurry() {
      for (const worker of members) worker.hurry();
    },
    serving: () => [...members].filter((worker) => worker.isServing()).length,
    onCrash: (listener) => void crashed.on('crash', listener),
  };
}

import type { ChildProcess } from 'node:child_process';
import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { type Order, reportsService } from './orders.ts';

/** End of a worker. */
export interface WorkerEnd {
  code: number | null;
  signal: string | null;
  /** Whether the primary had ordered it to end. */
  isOrdered: boolean;
}

/** A worker process. */
export interface WorkerProcess {
  pid: number | undefined;
  /** Resolves when the worker serves, and to false if it ends before. */
  served: Promise<boolean>;
  ended: Promise<WorkerEnd>;
  isServing(): boolean;
  /** Orders the worker to end, and kills it at the limit. Resolves to whether it ended by itself with exit code 0. */
  end(order: 'retire' | 'stop'): Promise<boolean>;
  /** Ends its drain period. */
  hurry(): void;
}

export interface WorkerProcessOptions {
  /** Time from an order to end until the worker is killed. */
  stopLimitMs: number;
  log: Pick<Logger, 'error'>;
}

/** Starts the main module of this process as a worker. */
export function startWorker({ stopLimitMs, log }: WorkerProcessOptions): WorkerProcess {
  const worker = cluster.fork();
  const { pid } = worker.process;
  closePendingConnection(worker.process);
  const served = Promise.withResolvers<boolean>();
  const ended = Promise.withResolvers<WorkerEnd>();
  let state: 'starting' | 'serving' | 'ended' = 'starting';
  let isOrdered = false;

  worker.on('message', (message) => {
    if (!reportsService(message)) return;
    state = 'serving';
    served.resolve(true);
  });
  worker.once('exit', (code, signal) => {
    state = 'ended';
    served.resolve(false);
    ended.resolve({ code, signal, isOrdered });
  });
  // Emitted when an order cannot be delivered, because the worker is ending.
  worker.on('error', (err) => log.error({ err, worker_pid: pid }, 'a worker cannot be reached'));

  const send = (order: Order) => void (worker.isConnected() && worker.send({ order }));
  function kill(): void {
    log.error({ event: 'worker.killed', worker_pid: pid }, 'a worker did not end in time and is killed');
    worker.process.kill('SIGKILL');
  }
  return {
    pid,
    served: served.promise,
    ended: ended.promise,
    isServing: () => state === 'serving',
    async end(order) {
      isOrdered = true;
      // A worker that does not serve yet takes no orders.
      if (state === 'serving') send(order);
      else worker.process.kill('SIGTERM');
      const timer = setTimeout(kill, stopLimitMs);
      const { code } = await ended.promise;
      clearTimeout(timer);
      return code === 0;
    },
    hurry: () => send('hurry'),
  };
}

/**
 * Closes the connection that a worker has not accepted yet when it ends. Node offers each worker one at a time and keeps
 * it open in the primary until the worker replies, so that the client of a killed worker would wait forever.
 */
function closePendingConnection(child: ChildProcess): void {
  let offered: { close?(): void } | undefined;
  const send = child.send.bind(child) as (...sent: unknown[]) => boolean;
  child.send = (message: object, handle?: unknown, ...rest: unknown[]) => {
    if ('act' in message && message.act === 'newconn') offered = handle as typeof offered;
    return send(message, handle, ...rest);
  };
  // Without effect on an accepted connection, which the primary has closed already.
  child.once('exit', () => offered?.close?.());
}

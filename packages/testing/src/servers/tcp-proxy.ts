import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Direction, ProxyCommand, ProxyReply } from './tcp-proxy.worker.ts';

/** A TCP proxy in front of a loopback port: a network that is slow or fails on request. */
export interface TcpProxy {
  port: number;
  /** Delays each direction by this time from now on, or only the given one; does not limit the throughput. */
  delay(milliseconds: number, direction?: Direction): Promise<void>;
  /**
   * Accepts connections and forwards nothing until `restore`: a server that hangs. With `responses`: the server
   * acts on requests, and nothing returns.
   */
  stall(direction?: Direction): Promise<void>;
  /** Closes all connections; new ones are accepted. */
  cut(): Promise<void>;
  /** Resets all connections (RST, `ECONNRESET`); new ones are accepted. */
  reset(): Promise<void>;
  /** Resets all connections and refuses new ones until `restore`: a server that is down. */
  refuse(): Promise<void>;
  /** Ends `stall` and `refuse`. Stalled connections continue with what they hold; the delay stays. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export interface TcpProxyOptions {
  /** Initial delay in each direction, in milliseconds; fractions count. Default: 0. */
  delayMs?: number | undefined;
}

const both: readonly Direction[] = ['requests', 'responses'];

/**
 * Starts a proxy on a free port of 127.0.0.1. It runs in a thread of its own, so that delays do not depend on this
 * one. Close it when done.
 */
export async function startTcpProxy(
  upstreamPort: number,
  { delayMs = 0 }: TcpProxyOptions = {},
): Promise<TcpProxy> {
  const worker = new Worker(new URL('./tcp-proxy.worker.ts', import.meta.url), { workerData: upstreamPort });
  worker.unref();
  let last: Promise<unknown> = Promise.resolve();

  /** Runs one command at a time, so that each reply belongs to its command. */
  function send(command: ProxyCommand): Promise<ProxyReply> {
    const reply = last.then(async () => {
      worker.postMessage(command);
      const [message] = await once(worker, 'message');
      return message as ProxyReply;
    });
    last = reply.catch(() => undefined);
    return reply;
  }

  const run = async (command: ProxyCommand) => void (await send(command));
  await run({ name: 'delay', milliseconds: delayMs, directions: both });
  const { port } = await send({ name: 'listen' });
  return {
    port,
    delay: (milliseconds, direction) =>
      run({ name: 'delay', milliseconds, directions: direction ? [direction] : both }),
    stall: (direction) => run({ name: 'stall', directions: direction ? [direction] : both }),
    cut: () => run({ name: 'cut' }),
    reset: () => run({ name: 'reset' }),
    refuse: () => run({ name: 'refuse' }),
    restore: () => run({ name: 'restore' }),
    async close() {
      await worker.terminate();
    },
  };
}

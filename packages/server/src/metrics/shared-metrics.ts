import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry, RegistryContentType } from 'prom-client';
import { lazyModule } from '../fast/lazy-module.ts';

/** Metrics of a registry, as sent between processes. */
type Snapshot = { type: unknown }[];

/** A worker that does not respond by then is busy or ending: its last known metrics count. */
const RESPONSE_LIMIT_MS = 2_000;
const scrape = { isScrape: true };
/** Returns the library, which only a program that serves metrics loads. */
export const loadPromClient = lazyModule<typeof import('prom-client')>('prom-client', import.meta.url);

/** Sends the metrics of this worker when the primary asks for them, and for the last time before it ends. */
export function answerScrapes(registry: Registry<RegistryContentType>): { close(): Promise<void> } {
  async function send(): Promise<void> {
    const snapshot = await registry.getMetricsAsJSON();
    await new Promise<void>((resolve) => {
      if (!process.send?.({ snapshot }, undefined, {}, () => resolve())) resolve();
    });
  }
  process.on('message', (message) => {
    if (typeof message === 'object' && message !== null && 'isScrape' in message) void send();
  });
  return { close: send };
}

/**
 * Creates a function that returns the sums of the metrics of all workers and of a registry of the primary. Counters of
 * ended workers remain in the sums: Prometheus takes a lower sum for a restart and would count the rest again.
 */
export function collectFromWorkers(own: Registry<RegistryContentType>): () => Promise<string> {
  const latest = new Map<number, Snapshot>();
  const awaited = new Map<number, () => void>();
  let ended: Promise<Snapshot> = Promise.resolve([]);
  let running: Promise<string> | undefined;

  cluster.on('message', ({ id }, message) => {
    if (typeof message !== 'object' || message === null || !('snapshot' in message)) return;
    latest.set(id, message.snapshot);
    awaited.get(id)?.();
  });
  cluster.on('exit', ({ id }) => {
    const counted = latest.get(id)?.filter(isCumulative) ?? [];
    latest.delete(id);
    awaited.get(id)?.();
    ended = ended.then((earlier) => sum([earlier, counted]).getMetricsAsJSON());
  });

  function ask(id: number): Promise<void> {
    const worker = cluster.workers?.[id];
    if (!worker?.isConnected()) return Promise.resolve();
    worker.send(scrape);
    return new Promise((resolve) => awaited.set(id, resolve));
  }

  async function read(): Promise<string> {
    const responses = Object.keys(cluster.workers ?? {}).map((id) => ask(Number(id)));
    await Promise.race([Promise.all(responses), sleep(RESPONSE_LIMIT_MS, undefined, { ref: false })]);
    return sum([...latest.values(), await ended, await own.getMetricsAsJSON()]).metrics();
  }

  return () => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Whether a metric only grows: a counter, or a histogram, which consists of counters. */
function isCumulative({ type }: { type: unknown }): boolean {
  return type === 'counter' || type === 'histogram';
}

function sum(snapshots: Snapshot[]): Registry {
  return loadPromClient().AggregatorRegistry.aggregate(snapshots);
}

import type { RegistryContentType } from 'prom-client';
import type { Listening } from '../listening/listen.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import { createInstruments, serveText } from './metrics.ts';
import { collectFromWorkers, loadPromClient } from './shared-metrics.ts';

/** Serves the metrics of a primary: the sums over its workers, and its own metrics about them. */
export function servePrimaryMetrics(
  pool: Pick<WorkerPool, 'serving' | 'onCrash'>,
  { host, metricsPort }: { host: string; metricsPort: number },
): Promise<Listening> {
  const { Registry } = loadPromClient();
  const registry = new Registry<RegistryContentType>();
  const { counter, gauge } = createInstruments(registry);
  gauge('workers_serving', 'Worker processes that serve requests', pool.serving);
  const crashes = counter('workers_crashed_total', 'Worker processes that ended unexpectedly', []);
  pool.onCrash(() => crashes.inc());
  const sums = { contentType: registry.contentType, metrics: collectFromWorkers(registry) };
  return serveText(sums, { host, port: metricsPort, setting: 'METRICS_PORT' });
}

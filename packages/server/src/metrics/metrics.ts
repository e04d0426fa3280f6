import cluster from 'node:cluster';
import type { Middleware } from 'koa';
import type { Counter, Gauge, Histogram, Registry, RegistryContentType } from 'prom-client';
import { type Listening, type ListenOptions, listen } from '../listening/listen.ts';
import { sentStatus } from '../log/sent-status.ts';
import { answerScrapes, loadPromClient } from './shared-metrics.ts';

/** Name, labels and buckets of a histogram. */
export interface HistogramOptions<Label extends string> {
  /** Ends in the unit. */
  name: string;
  help: string;
  labels: readonly Label[];
  /** Upper bounds. */
  buckets: readonly number[];
}

/** Address of a listener for metrics. */
export type MetricsAddress = Pick<ListenOptions, 'host' | 'port' | 'setting'>;

/** Creates metrics of a registry. */
export interface Instruments {
  /** Creates a counter; its name ends in `_total`. */
  counter<Label extends string>(name: string, help: string, labels: readonly Label[]): Counter<Label>;
  /**
   * Creates a gauge, whose value is read at each scrape; `undefined` omits it. Of several processes the sum is shown, or
   * the maximum.
   */
  gauge(name: string, help: string, read: () => number | undefined, aggregator?: 'sum' | 'max'): void;
  histogram<Label extends string>(options: HistogramOptions<Label>): Histogram<Label>;
}

/** Prometheus metrics of a program. */
export interface Metrics extends Instruments {
  /** Measures every request by method, route pattern (never the path) and status, and counts errors by code. */
  httpDuration: Middleware;
  /** Serves `GET /metrics` on a separate, non-public listener. */
  serve(address: MetricsAddress): Promise<Listening>;
  /** Serves them, or sends them to the primary of this worker, which serves the sums of all workers. */
  publish(address: MetricsAddress): Promise<Pick<Listening, 'close'>>;
}

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Default: none. */
export interface MetricsOptions {
  /**
   * Whether durations of requests show the trace of a request in each bucket, as exemplars. Only OpenMetrics has them, so
   * the metrics are served in that format.
   */
  hasExemplars?: boolean;
}

/** Creates the metrics of the process (memory, event loop, CPU) and the app. */
export function createMetrics({ hasExemplars = false }: MetricsOptions = {}): Metrics {
  const { Counter, collectDefaultMetrics, Histogram, Registry } = loadPromClient();
  const registry = new Registry<RegistryContentType>();
  if (hasExemplars) registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  collectDefaultMetrics({ register: registry });
  const problems = new Counter({
    name: 'http_problems_total',
    help: 'Requests that ended with an error',
    labelNames: ['route', 'code'],
    registers: [registry],
  });
  const duration = new Histogram<'method' | 'route' | 'status' | 'trace_id'>({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
    enableExemplars: hasExemplars,
  });

  const serve = (address: MetricsAddress) => serveText(registry, address);
  return {
    ...createInstruments(registry),
    httpDuration(ctx, next) {
      const startedAt = performance.now();
      ctx.res.once('close', () => {
        const route = ctx._matchedRoute ?? 'none';
        const labels = { method: ctx.method, route, status: sentStatus(ctx) ?? 'none' };
        const { errorCode: code, recordedTraceId } = ctx.state;
        const value = (performance.now() - startedAt) / 1000;
        const exemplarLabels = recordedTraceId === undefined ? {} : { trace_id: recordedTraceId };
        if (hasExemplars) duration.observe({ labels, value, exemplarLabels });
        else duration.observe(labels, value);
        if (code !== undefined) problems.inc({ route, code });
      });
      return next();
    },
    serve,
    publish: async (address) => (cluster.isWorker ? answerScrapes(registry) : serve(address)),
  };
}

/** Creates metrics of a registry. */
export function createInstruments(registry: Registry<RegistryContentType>): Instruments {
  const { Counter, Gauge, Histogram } = loadPromClient();
  return {
    counter: (name, help, labels) =>
      new Counter({ name, help, labelNames: [...labels], registers: [registry] }),
    gauge(name, help, read, aggregator = 'sum') {
      function collect(this: Gauge): void {
        const value = read();
        if (value === undefined) this.remove();
        else this.set(value);
      }
      new Gauge({ name, help, registers: [registry], aggregator, collect });
    },
    histogram: ({ name, help, labels, buckets }) =>
      new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers: [registry] }),
  };
}

/** Serves metrics as the only resource of a listener. */
export function serveText(
  source: Pick<Registry<RegistryContentType>, 'contentType' | 'metrics'>,
  address: MetricsAddress,
): Promise<Listening> {
  return listen(async (request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end();
    const text = await source.metrics();
    return response.writeHead(200, { 'Content-Type': source.contentType }).end(text);
  }, address);
}

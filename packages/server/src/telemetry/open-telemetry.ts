import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { context, DiagLogLevel, diag, trace } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { createThrottle } from '../log/throttle.ts';
import type { StoreCall } from '../metrics/observe-stores.ts';
import { type TracedOperation, traceChannel } from './child-spans.ts';
import { traceRequests } from './inbound.ts';
import { traceOutbound } from './outbound.ts';
import { enableContexts, findRequestContext } from './trace-context.ts';

/** Names of the standard for `OTEL_TRACES_SAMPLER`. */
export type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio';

/** Collector and content of the traces of a program. */
export interface TelemetryOptions {
  /** Base URL of a collector; traces go to its path `v1/traces` by OTLP/HTTP. */
  endpoint: string;
  /** Headers for the collector, such as its API key. */
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  resourceAttributes: Readonly<Record<string, string>>;
  sampler: SamplerName;
  /** Part of the traces that a ratio sampler records, 0 to 1. */
  samplerRatio: number;
  /** Whether requests continue the trace of their `traceparent` header. Default: a new trace links to it. */
  trustsTraceContext: boolean;
  /** URLs of servers that continue the trace. */
  peers: readonly string[];
}

/** Members of log lines that refer to a trace. */
export interface TraceIds {
  trace_id: string;
  span_id: string;
}

/** Running traces of a program. */
export interface Telemetry {
  /** Returns the ids of the current request; `undefined` outside of requests. */
  currentIds(): TraceIds | undefined;
  /** Logs failures of the export, at most one a minute. */
  reportTo(log: Pick<Logger, 'warn'>): void;
  /** Exports the remaining spans within two seconds and ends. Never rejects. */
  close(): Promise<void>;
}

const EXPORT_TIMEOUT_MS = 4_000;
const FLUSH_LIMIT_MS = 2_000;
/** Spans in memory while the collector is unavailable; further ones are dropped. */
const MAX_QUEUED_SPANS = 4_096;
const BATCH_DELAY_MS = 1_000;
const QUIET_MS = 60_000;

/** Starts tracing; see decision 24. */
export function openTelemetry(options: TelemetryOptions): Telemetry {
  const { trustsTraceContext } = options;
  const provider = createProvider(options);
  const tracer = provider.getTracer('keydesk');
  const contexts = enableContexts();
  const peers = options.peers.map((url) => new URL(url).origin);
  const subscriptions = [
    traceRequests({ tracer, contexts, trustsTraceContext }),
    traceOutbound({ tracer, peers }),
    traceChannel({ tracer, contexts }, 'keydesk:storage', describeStoreCall),
    traceChannel({ tracer, contexts }, 'keydesk:mail', () => ({ name: 'send mail', attributes: {} })),
    traceChannel({ tracer, contexts }, 'ioredis:command', describeRedisCommand),
  ];
  return {
    currentIds,
    reportTo: reportFailures,
    async close() {
      for (const unsubscribe of subscriptions) unsubscribe();
      await Promise.race([
        provider.shutdown().catch(() => 'the failure is logged'),
        sleep(FLUSH_LIMIT_MS, undefined, { ref: false }),
      ]);
      context.disable();
    },
  };
}

function createProvider(options: TelemetryOptions): TracerProvider {
  const { endpoint, headers, serviceName, resourceAttributes } = options;
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: EXPORT_TIMEOUT_MS });
  return new TracerProvider({
    resource: resourceFromAttributes({
      ...resourceAttributes,
      'service.name': serviceName,
      'service.instance.id': randomUUID(),
    }),
    sampler: createSampler(options),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: MAX_QUEUED_SPANS,
        scheduledDelayMillis: BATCH_DELAY_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS + 1_000,
      }),
    ],
  });
}

function createSampler({ sampler, samplerRatio }: TelemetryOptions): Sampler {
  const roots = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(samplerRatio),
  };
  const name = sampler.replace('parentbased_', '') as keyof typeof roots;
  const root = roots[name]();
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function currentIds(): TraceIds | undefined {
  const active = findRequestContext();
  const span = active && trace.getSpanContext(active);
  return span && { trace_id: span.traceId, span_id: span.spanId };
}

/** The message of an error of the exporter names the collector at most. */
function reportFailures(log: Pick<Logger, 'warn'>): void {
  const mayLog = createThrottle(QUIET_MS);
  const report = (reason: string) => {
    if (mayLog()) log.warn({ reason }, 'traces cannot be exported');
  };
  setGlobalErrorHandler((err) => report(err instanceof Error ? err.message : String(err)));
  const ignore = () => undefined;
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

function describeStoreCall({ engine, store, operation }: StoreCall) {
  const attributes = {
    'db.system.name': engine,
    'db.collection.name': store,
    'db.operation.name': operation,
  };
  return { name: `${store}.${operation}`, attributes };
}

function describeRedisCommand({ command }: TracedOperation & { command: string }) {
  const name = command.toLowerCase();
  return { name, attributes: { 'db.system.name': 'redis', 'db.operation.name': name } };
}

import { tracingChannel } from 'node:diagnostics_channel';
import { AppError } from '@keydesk/errors';
import type { Metrics } from './metrics.ts';

/** A call of a storage port, as published on the channel `keydesk:storage`. */
export interface StoreCall {
  engine: 'sqlite' | 'mongodb';
  /** Name of the port, such as `tickets`. */
  store: string;
  /** Name of its method. */
  operation: string;
  error?: unknown;
}

export interface ObserveStoresOptions {
  /** URL of the storage. */
  url: string;
  /** Gets duration and number of calls. */
  metrics: Pick<Metrics, 'histogram' | 'gauge'> | undefined;
  /** Whether calls are traced. */
  isTraced: boolean;
}

type Method = (...args: unknown[]) => unknown;

/** Runs a method of a port. */
type RunCall = (call: StoreCall, run: () => unknown) => unknown;

const channel = tracingChannel<unknown, StoreCall>('keydesk:storage');
const BUCKETS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];

/**
 * Wraps all ports of a storage: their calls are measured, and published on a channel where traces find them. Returns
 * the storage itself if there are neither metrics nor traces.
 */
export function observeStores<Storage extends object>(
  storage: Storage,
  { url, metrics, isTraced }: ObserveStoresOptions,
): Storage {
  if (!metrics && !isTraced) return storage;
  const engine = url.startsWith('sqlite:') ? 'sqlite' : 'mongodb';
  const run = metrics ? createMeasuredRun(metrics) : publishCall;
  return mapMembers(storage, (port, store) => {
    if (typeof port !== 'object' || port === null) return port;
    return mapMembers(port, (method, operation) => {
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) =>
        run({ engine, store, operation }, () => Reflect.apply(method as Method, port, args));
    });
  });
}

function mapMembers<T extends object>(record: T, map: (member: unknown, name: string) => unknown): T {
  return Object.fromEntries(Object.entries(record).map(([name, member]) => [name, map(member, name)])) as T;
}

function createMeasuredRun(metrics: Pick<Metrics, 'histogram' | 'gauge'>): RunCall {
  const duration = metrics.histogram({
    name: 'storage_operation_duration_seconds',
    help: 'Duration of operations of the database',
    labels: ['store', 'operation', 'outcome'],
    buckets: BUCKETS_SECONDS,
  });
  let inFlight = 0;
  metrics.gauge('storage_operations_in_flight', 'Operations that the database is executing', () => inFlight);
  return (call, run) => {
    const startedAt = performance.now();
    inFlight += 1;
    return onEnd(
      () => publishCall(call, run),
      (err) => {
        inFlight -= 1;
        const { store, operation } = call;
        const labels = { store, operation, outcome: isFailure(err) ? 'failed' : 'ok' };
        duration.observe(labels, (performance.now() - startedAt) / 1000);
      },
    );
  };
}

/** Whether the database failed. It works well when it rejects a change for a reason, such as a conflict. */
function isFailure(err: unknown): boolean {
  return err !== undefined && (!(err instanceof AppError) || err.status >= 500);
}

/** `tracePromise` of Node would turn the iterable of a method that streams into a promise. */
function publishCall(call: StoreCall, run: () => unknown): unknown {
  return channel.start.runStores(call, () =>
    onEnd(run, (err) => {
      call.error = err;
      channel.asyncEnd.publish(call);
    }),
  );
}

/** Calls `end` once, with the error if there is one. The end of a result that streams is that of the call. */
function onEnd(run: () => unknown, end: (err?: unknown) => void): unknown {
  let result: unknown;
  try {
    result = run();
  } catch (err) {
    end(err);
    throw err;
  }
  if (!(result instanceof Promise)) {
    end();
    return result;
  }
  return result.then(
    (value) => {
      end();
      return value;
    },
    (err) => {
      end(err);
      throw err;
    },
  );
}

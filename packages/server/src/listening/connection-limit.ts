import { closeSync, openSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { devNull } from 'node:os';
import type { Logger } from 'pino';
import { createThrottle } from '../log/throttle.ts';

/** Log and metrics for refused connections. */
export interface RefusalReport {
  log: Pick<Logger, 'warn'>;
  metrics?: ConnectionMetrics | undefined;
}

/** Part of `Metrics` that counts connections. */
interface ConnectionMetrics {
  counter(name: string, help: string, labels: readonly never[]): { inc(value?: number): void };
  gauge(name: string, help: string, read: () => number): void;
}

const MAX_CONNECTIONS = 10_000;
/** Descriptors reserved for databases, outgoing requests and files; at most half of all. */
const RESERVED_DESCRIPTORS = 256;
const PROBE_INTERVAL_MS = 1_000;
const QUIET_MS = 60_000;
const REMEDY = 'raise the limit of open files (LimitNOFILE= of systemd, ulimit -n) or start another process';

/**
 * Limits the connections of a server, reserves descriptors for other uses, and reports refused connections. Without
 * a limit, libuv closes connections without an event when descriptors run out.
 *
 * @returns a function that stops the reports
 */
export function limitConnections(
  server: Server,
  {
    maxConnections = MAX_CONNECTIONS,
    report,
  }: { maxConnections?: number; report?: RefusalReport | undefined },
): () => void {
  server.maxConnections = Math.min(maxConnections, connectionsWithin(findDescriptorLimit()));
  // In a worker of node:cluster, Node would otherwise offer the connection to the other workers again and again.
  Object.assign(server, { dropMaxConnection: true });
  if (!report) return () => undefined;
  reportRefusals(server, report);
  measureConnections(server, report.metrics);
  const probe = setInterval(createShortageProbe(report), PROBE_INTERVAL_MS);
  probe.unref();
  return () => clearInterval(probe);
}

/** Logs and counts the `drop` events of a server. */
function reportRefusals(server: Server, { log, metrics }: RefusalReport): void {
  const total = metrics?.counter(
    'http_connections_refused_total',
    'Connections refused because the limit was reached',
    [],
  );
  const mayLog = createThrottle(QUIET_MS);
  let refused = 0;
  server.on('drop', () => {
    total?.inc();
    refused += 1;
    if (!mayLog()) return;
    const open = server.maxConnections;
    log.warn({ refused, open }, `connections are refused because ${open} are open; ${REMEDY}`);
    refused = 0;
  });
}

function measureConnections(server: Server, metrics: RefusalReport['metrics']): void {
  if (!metrics) return;
  let open = 0;
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
  metrics.gauge('http_connections', 'Open connections', () => open);
  metrics.gauge(
    'http_connections_limit',
    'Number of connections that may be open',
    () => server.maxConnections,
  );
}

/** Detects by opening a file that process or machine has no descriptor left. */
function createShortageProbe({ log, metrics }: RefusalReport): () => void {
  const help = 'Seconds in which no file descriptor was left, so that connections were refused';
  const seconds = metrics?.counter('http_descriptor_shortage_seconds_total', help, []);
  const mayLog = createThrottle(QUIET_MS);
  return function probeDescriptors() {
    const code = tryDescriptor();
    if (code !== 'EMFILE' && code !== 'ENFILE') return;
    seconds?.inc(PROBE_INTERVAL_MS / 1_000);
    if (mayLog()) log.warn({ code }, `connections are refused because no file descriptor is left; ${REMEDY}`);
  };
}

/** Returns the error code of opening a file; `undefined` on success. */
function tryDescriptor(): unknown {
  try {
    closeSync(openSync(devNull, 'r'));
    return undefined;
  } catch (err) {
    return err instanceof Error && 'code' in err ? err.code : undefined;
  }
}

function connectionsWithin(descriptors: number): number {
  return descriptors - Math.min(RESERVED_DESCRIPTORS, Math.ceil(descriptors / 2));
}

/** Returns the descriptor limit of this process, which Node has raised to the hard limit. */
function findDescriptorLimit(): number {
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report;
  const { excludeNetwork = false } = report;
  // Otherwise the report resolves the addresses of open connections to names.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  report.excludeNetwork = excludeNetwork;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}

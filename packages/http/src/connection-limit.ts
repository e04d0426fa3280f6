import { closeSync, openSync } from 'node:fs';
import type { Server } from 'node:http';
import { devNull } from 'node:os';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.ts';
import { createPace } from './pace.ts';

/** Where refused connections are reported. */
export interface RefusalReport {
  log: Pick<Logger, 'warn'>;
  metrics?: Pick<Metrics, 'counter'> | undefined;
}

const MAX_CONNECTIONS = 10_000;
/** Kept for databases, outgoing requests and files, as far as half of all descriptors allow. */
const RESERVED_DESCRIPTORS = 256;
const PROBE_INTERVAL_MS = 1_000;
const QUIET_MS = 60_000;
const REMEDY = 'raise the limit of open files (LimitNOFILE= of systemd, ulimit -n) or start another process';

/**
 * Bounds the connections of a server, so that they leave descriptors for everything else, and reports what is refused.
 * Without a bound the operating system runs out of descriptors, and libuv closes connections without an event.
 *
 * @returns ends the reports
 */
export function limitConnections(
  server: Server,
  {
    maxConnections = MAX_CONNECTIONS,
    report,
  }: { maxConnections?: number; report?: RefusalReport | undefined },
): () => void {
  server.maxConnections = Math.min(maxConnections, connectionsWithin(findDescriptorLimit()));
  if (!report) return () => undefined;
  reportRefusals(server, report);
  const probe = setInterval(createShortageProbe(report), PROBE_INTERVAL_MS);
  probe.unref();
  return () => clearInterval(probe);
}

/** Each connection beyond the bound is an event of the server. */
function reportRefusals(server: Server, { log, metrics }: RefusalReport): void {
  const total = metrics?.counter('http_connections_refused_total', 'Connections beyond the bound', []);
  const mayLog = createPace(QUIET_MS);
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

/** Detects that no descriptor is left, of this process or of the whole machine, by opening one. */
function createShortageProbe({ log, metrics }: RefusalReport): () => void {
  const help = 'Seconds in which no file descriptor was left, so that connections were refused';
  const seconds = metrics?.counter('http_descriptor_shortage_seconds_total', help, []);
  const mayLog = createPace(QUIET_MS);
  return function probeDescriptors() {
    const code = tryDescriptor();
    if (code !== 'EMFILE' && code !== 'ENFILE') return;
    seconds?.inc(PROBE_INTERVAL_MS / 1_000);
    if (mayLog()) log.warn({ code }, `connections are refused because no file descriptor is left; ${REMEDY}`);
  };
}

/** The code of the error by which no file can be opened, if there is one. */
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

/** How many descriptors this process may have; Node has raised that to what its supervisor allows. */
function findDescriptorLimit(): number {
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report;
  const { excludeNetwork = false } = report;
  // Addresses of open connections would be resolved to names.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  report.excludeNetwork = excludeNetwork;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}

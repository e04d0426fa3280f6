import { createJwks } from '@keydesk/access-token';
import { toDrainSeconds, toTelemetryOptions, toTlsFiles } from '@keydesk/config';
import { openRedis } from '@keydesk/rate-limit';
import {
  createMetrics,
  type LoggerOptions,
  listen,
  loadTelemetry,
  observeStores,
  openWhenAvailable,
  repeatTask,
  runWithLease,
  serveUntilStopped,
} from '@keydesk/server';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { openStatusList } from './api/access/token-status.ts';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { createTicketQueue } from './helpdesk/commit/ticket-queue.ts';
import { startReceiver } from './security-events/start-receiver.ts';
import { openStorage } from './storage/open-storage.ts';

/** Counted from the end of the drain period. */
const STOP_LIMIT_MS = 15_000;
const JOBS_INTERVAL_MS = 60_000;

/** Creates the log of the process. */
export type OpenLog = (readContext?: LoggerOptions['readContext']) => Logger;

/** Serves until SIGTERM or SIGINT, drains and finishes requests in flight, then closes all resources in reverse order. */
export async function serve(config: Config, openLog: OpenLog): Promise<void> {
  const { host, port, metricsPort, canMigrate } = config;
  const jwksUrl = config.jwksUrl ?? toJwksUrl(config.issuer);
  const peers = [config.issuer, jwksUrl, config.securityEventsUrl ?? config.issuer];
  const telemetry = await loadTelemetry(toTelemetryOptions(config, { serviceName: 'keydesk-api', peers }));
  const log = openLog(telemetry?.currentIds);
  telemetry?.reportTo(log);

  await using opened = new AsyncDisposableStack();
  opened.defer(() => telemetry?.close());
  const hasExemplars = telemetry !== undefined;
  const metrics = metricsPort === undefined ? undefined : createMetrics({ hasExemplars });
  const tlsFiles = toTlsFiles(config);
  const listenOn = { host, port, setting: 'API_PORT', tls: tlsFiles && { ...tlsFiles, log } };
  const open = () => openStorage(config.storageUrl, { canMigrate });
  const storage = observeStores(
    opened.adopt(await openWhenAvailable(open, { listenOn, log }), (each) => each.close()),
    { url: config.storageUrl, metrics, isTraced: telemetry !== undefined },
  );
  const redis = config.redisUrl === undefined ? undefined : openRedis(config.redisUrl, { log });
  opened.defer(() => redis?.close());
  if (redis) metrics?.gauge('redis_usable', 'Whether it is in use', () => Number(redis.isUsable()));
  if (metrics && metricsPort !== undefined)
    opened.adopt(await metrics.publish({ host, port: metricsPort, setting: 'METRICS_PORT' }), (each) =>
      each.close(),
    );
  const refusals = metrics?.counter(
    'api_busy_ticket_refusals_total',
    'Changes rejected because the queue of their ticket is full',
    [],
  );
  const queue = createTicketQueue({ onRefusal: () => refusals?.inc() });
  const jwks = createJwks({ url: jwksUrl, log });
  const statusList = openStatusList({ config, jwks, log, metrics });
  const app = createApp({ config, storage, queue, jwks, statusList, redis, metrics, log, newId: uuidv7 });
  const server = opened.adopt(
    await listen(app.handler, { ...listenOn, refusals: { log, metrics } }),
    (each) => each.close(),
  );
  opened.defer(app.endWaits);
  const lease = { store: storage.leases, name: 'jobs', holder: uuidv7(), now: () => new Date(), log };
  const startJobs = () => repeatTask(app.runJobs, { intervalMs: JOBS_INTERVAL_MS, delayMs: 0 });
  opened.adopt(runWithLease(lease, startJobs), (each) => each.stop());
  const receiver = startReceiver({ config, storage, jwks, log, metrics });
  opened.defer(() => receiver?.stop());
  log.info({ url: server.url, base_url: config.baseUrl, issuer: config.issuer }, 'listening');

  await serveUntilStopped([app, server], { drainSeconds: toDrainSeconds(config), log });
  setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
}

/** Returns the default URL of the keys of an issuer. */
function toJwksUrl(issuer: string): string {
  return new URL('jwks', `${issuer.replace(/\/$/, '')}/`).href;
}

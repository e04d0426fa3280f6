import { toDrainSeconds, toTelemetryOptions, toTlsFiles } from '@keydesk/config';
import { openRedis } from '@keydesk/rate-limit';
import {
  createMetrics,
  type LoggerOptions,
  listen,
  loadTelemetry,
  observeStores,
  openWhenAvailable,
  serveUntilStopped,
} from '@keydesk/server';
import type { Logger } from 'pino';
import { createCommonPasswords } from './accounts/passwords/password-policy.ts';
import { createApp } from './app.ts';
import type { AuthConfig } from './config.ts';
import { openStorage } from './storage/open-storage.ts';

/** Milliseconds after the drain period in which everything has to be closed. */
const STOP_LIMIT_MS = 12_000;

/** Creates the log of the process. */
export type OpenLog = (readContext?: LoggerOptions['readContext']) => Logger;

/** Serves until SIGTERM or SIGINT, drains, and finishes requests in flight. Closes all resources in reverse order. */
export async function serve(config: AuthConfig, openLog: OpenLog): Promise<void> {
  const { host, port, metricsPort, canMigrate } = config;
  const telemetry = await loadTelemetry(
    toTelemetryOptions(config, { serviceName: 'keydesk-auth', peers: [] }),
  );
  const log = openLog(telemetry?.currentIds);
  telemetry?.reportTo(log);

  await using opened = new AsyncDisposableStack();
  opened.defer(() => telemetry?.close());
  const hasExemplars = telemetry !== undefined;
  const metrics = metricsPort === undefined ? undefined : createMetrics({ hasExemplars });
  const tlsFiles = toTlsFiles(config);
  const listenOn = { host, port, setting: 'AUTH_PORT', tls: tlsFiles && { ...tlsFiles, log } };
  const open = () => openStorage({ url: config.storageUrl }, { canMigrate });
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
  const commonPasswords = createCommonPasswords();
  const app = opened.adopt(
    await createApp({ config, storage, log, now: () => new Date(), redis, metrics, commonPasswords }),
    (each) => each.stop(),
  );
  const server = opened.adopt(await listen(app.handle, { ...listenOn, refusals: { log, metrics } }), (each) =>
    each.close(),
  );
  log.info({ url: server.url, issuer: config.issuer, metrics_port: metricsPort }, 'listening');

  await serveUntilStopped([app, server], { drainSeconds: toDrainSeconds(config), log });
  setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
}

import { drainSecondsOf, telemetryOf, tlsFilesOf } from '@keydesk/config';
import { countForWorkers, openRedis } from '@keydesk/rate-limit';
import {
  createLogger,
  createMetrics,
  type LoggerOptions,
  listen,
  loadTelemetry,
  observeStores,
  openWhenAvailable,
  runInWorkers,
  serveUntilStopped,
} from '@keydesk/server';
import { loadCommonPasswords } from './accounts/passwords/password-policy.ts';
import { createApp } from './app.ts';
import { type AuthConfig, loadAuthConfig } from './config.ts';
import { openStorage } from './storage/open-storage.ts';

/** Milliseconds after the drain period in which everything has to be closed. */
const STOP_LIMIT_MS = 12_000;

try {
  const config = loadAuthConfig(process.env);
  await runInWorkers(() => run(config), {
    ...config,
    drainSeconds: drainSecondsOf(config),
    openLog: () => openLog(config),
    prepare: countForWorkers,
  });
} catch (err) {
  process.stderr.write(
    `The authorization server cannot start: ${err instanceof Error ? err.message : err}\n`,
  );
  process.exitCode = 1;
}

/** Serves until SIGTERM or SIGINT, drains, and finishes requests in flight. Closes all resources in reverse order. */
async function run(config: AuthConfig): Promise<void> {
  const { host, port, metricsPort, canMigrate } = config;
  const telemetry = await loadTelemetry(telemetryOf(config, { serviceName: 'keydesk-auth', peers: [] }));
  const log = openLog(config, telemetry?.currentIds);
  telemetry?.reportTo(log);

  await using opened = new AsyncDisposableStack();
  opened.defer(() => telemetry?.close());
  const metrics = metricsPort === undefined ? undefined : createMetrics();
  const tlsFiles = tlsFilesOf(config);
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
  const commonPasswords = await loadCommonPasswords();
  const app = opened.adopt(
    await createApp({ config, storage, log, now: () => new Date(), redis, metrics, commonPasswords }),
    (each) => each.stop(),
  );
  const server = opened.adopt(await listen(app.handle, { ...listenOn, refusals: { log, metrics } }), (each) =>
    each.close(),
  );
  log.info({ url: server.url, issuer: config.issuer, metrics_port: metricsPort }, 'listening');

  await serveUntilStopped([app, server], { drainSeconds: drainSecondsOf(config), log });
  setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
}

function openLog({ mode, logLevel: level }: AuthConfig, readContext?: LoggerOptions['readContext']) {
  const isPretty = process.stdout.isTTY && mode !== 'production';
  return createLogger({ name: 'auth', level, isPretty, readContext });
}

import { createLogger, createMetrics, listen } from '@keydesk/http';
import { openRedis } from '@keydesk/rate-limit';
import { createApp } from './app.ts';
import { loadAuthConfig } from './config.ts';
import { openStorage } from './storage/open-storage.ts';

const STOP_LIMIT_MS = 12_000;

try {
  await run();
} catch (err) {
  process.stderr.write(
    `The authorization server cannot start: ${err instanceof Error ? err.message : err}\n`,
  );
  process.exitCode = 1;
}

/** Serves until SIGTERM or SIGINT, then lets what is in flight end and closes everything. */
async function run(): Promise<void> {
  const config = loadAuthConfig(process.env);
  const isPretty = process.stdout.isTTY && config.mode !== 'production';
  const log = createLogger({ name: 'auth', level: config.logLevel, isPretty });
  const storage = await openStorage({ url: config.storageUrl });
  const redis = config.redisUrl === undefined ? undefined : openRedis(config.redisUrl, { log });
  const metrics = config.metricsPort === undefined ? undefined : createMetrics();
  const app = await createApp({ config, storage, log, clock: Date.now, redis, metrics });
  const { host, port, metricsPort } = config;
  const server = await listen(app.handle, { host, port });
  const metricsServer =
    metricsPort === undefined ? undefined : await metrics?.serve({ host, port: metricsPort });
  log.info({ url: server.url, issuer: config.issuer, metrics: metricsServer?.url }, 'listening');

  log.info({ signal: await stopSignal() }, 'stopping');
  setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
  app.drain();
  await server.close();
  await app.stop();
  await Promise.all([metricsServer?.close(), storage.close()]);
  redis?.close();
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
  });
}

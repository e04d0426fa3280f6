import { createJwks } from '@keydesk/access-token';
import { tlsFilesOf } from '@keydesk/config';
import { createLogger, createMetrics, listen } from '@keydesk/http';
import { openRedis } from '@keydesk/rate-limit';
import { v7 as uuidv7 } from 'uuid';
import { createApp } from './app.ts';
import { loadApiConfig } from './config.ts';
import { openStorage } from './storage/open-storage.ts';

const STOP_LIMIT_MS = 15_000;

try {
  await main();
} catch (err) {
  process.stderr.write(`${err instanceof Error ? err.message : String(err)}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const config = loadApiConfig(process.env);
  const { host, port, metricsPort } = config;
  const log = createLogger({ name: 'tickets-api', level: config.logLevel, isPretty: process.stdout.isTTY });
  const storage = await openStorage(config.storageUrl);
  const redis = config.redisUrl === undefined ? undefined : openRedis(config.redisUrl, { log });
  const metrics = metricsPort === undefined ? undefined : createMetrics();
  const jwks = createJwks({
    url: config.jwksUrl ?? new URL('jwks', `${config.issuer.replace(/\/$/, '')}/`).href,
    log,
  });
  const app = createApp({ config, storage, jwks, redis, metrics, log, newId: uuidv7 });
  const tlsFiles = tlsFilesOf(config);
  const listeners = [await listen(app.handler, { host, port, tls: tlsFiles && { ...tlsFiles, log } })];
  if (metrics && metricsPort !== undefined) listeners.push(await metrics.serve({ host, port: metricsPort }));
  log.info({ url: listeners[0]?.url, base_url: config.baseUrl, issuer: config.issuer }, 'listening');

  let isStopping = false;
  async function stop(signal: string): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
    app.drain();
    await Promise.all(listeners.map((listener) => listener.close()));
    redis?.close();
    await storage.close();
  }
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

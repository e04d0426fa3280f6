import { createJwks } from '@keydesk/access-token';
import { tlsFilesOf } from '@keydesk/config';
import { createLogger, createMetrics, listen } from '@keydesk/http';
import { openRedis } from '@keydesk/rate-limit';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { createApp } from './app.ts';
import { type Config, loadApiConfig } from './config.ts';
import { createFieldCatalogue } from './fields/field-catalogue.ts';
import { createForgetting } from './jobs/forget-changes.ts';
import { createHousekeeping } from './jobs/housekeeping.ts';
import { type Repetition, repeat } from './jobs/repeat.ts';
import { openStorage } from './storage/open-storage.ts';
import type { Storage } from './storage/storage.ts';
import { createTicketWriter } from './tickets/ticket-writer.ts';

const STOP_LIMIT_MS = 15_000;
const HOUSEKEEPING_INTERVAL_SECONDS = 60;

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

  const housekeeping = startHousekeeping(config, storage, log);

  let isStopping = false;
  async function stop(signal: string): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
    app.drain();
    await Promise.all(listeners.map((listener) => listener.close()));
    await housekeeping.stop();
    redis?.close();
    await storage.close();
  }
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** Closes what is solved, purges what is deleted and forgets that it was, each after long enough. */
function startHousekeeping(config: Config, storage: Storage, log: Logger): Repetition {
  const now = () => new Date();
  const catalogue = createFieldCatalogue({ store: storage.fields, now });
  const housekeeping = createHousekeeping({
    store: storage.tickets,
    writer: createTicketWriter({ ...storage, catalogue, now, newId: uuidv7 }),
    now,
    log,
    closesAfterDays: config.solvedClosesAfterDays,
    purgesAfterDays: config.purgeDeletedAfterDays,
  });
  const forgetChanges = createForgetting({
    changes: storage.changes,
    now,
    log,
    retentionDays: config.changesRetentionDays,
  });
  return repeat(async () => {
    await housekeeping.run();
    await forgetChanges();
  }, HOUSEKEEPING_INTERVAL_SECONDS);
}

import { availableParallelism } from 'node:os';
import { z } from 'zod';
import type { Config } from './config.ts';
import { secret } from './config.ts';
import { telemetrySettings } from './telemetry-settings.ts';
import { tlsSettings } from './tls-settings.ts';
import { wholeNumber, yesOrNo } from './values.ts';

const portNumber = wholeNumber(0, 65_535);
const PRODUCTION_DRAIN_SECONDS = 5;

const commonSettings = {
  mode: {
    env: 'NODE_ENV',
    schema: z
      .enum(['development', 'production', 'test'], 'must be development, production or test')
      .default('development')
      .describe('`production` refuses to start with settings that are only safe for development'),
  },
  host: { env: 'HOST', schema: z.string().default('127.0.0.1').describe('Address to listen on') },
  ...tlsSettings,
  drainSeconds: {
    env: 'DRAIN_SECONDS',
    schema: wholeNumber(0, 600)
      .optional()
      .describe(
        'Seconds between SIGTERM, after which `/readyz` responds 503, and the end of service; default: 5 in production, otherwise 0',
      ),
  },
  workers: {
    env: 'WORKERS',
    schema: z
      .string()
      .regex(/^(auto|[1-9]\d?)$/, 'must be auto or a whole number from 1 to 99')
      .transform((text) => (text === 'auto' ? availableParallelism() : Number(text)))
      .optional()
      .describe(
        'Number of worker processes that share the port, or `auto` for one per CPU; SIGHUP replaces them without failing requests; default: one process without workers',
      ),
  },
  trustedProxyHops: {
    env: 'TRUSTED_PROXY_HOPS',
    schema: wholeNumber(0, 10)
      .default(0)
      .describe(
        'Number of your own proxies in front of the server, whose `X-Forwarded-For` entries are trusted',
      ),
  },
  canMigrate: {
    env: 'MIGRATE_AT_START',
    schema: yesOrNo
      .default(true)
      .describe(
        'Whether the server migrates its database at start; if `false`, it refuses one that is not up to date; run the command `migrate` first',
      ),
  },
  redisUrl: {
    env: 'REDIS_URL',
    schema: secret(
      z
        .url({ protocol: /^rediss?$/, hostname: /./, error: 'must be a redis:// or rediss:// URL' })
        .optional(),
    ).describe('URL of the Redis server that shares rate limits among processes'),
  },
  logLevel: {
    env: 'LOG_LEVEL',
    schema: z
      .enum(
        ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
        'must be fatal, error, warn, info, debug, trace or silent',
      )
      .default('info')
      .describe('Minimum log level'),
  },
  metricsPort: {
    env: 'METRICS_PORT',
    schema: portNumber.optional().describe('Port of a separate listener for Prometheus; default: no metrics'),
  },
  ...telemetrySettings,
} as const;

/** Differences between the two servers. */
export interface ServerDefaults {
  port: { env: string; default: number };
  /** SQLite file in the data folder, such as `auth.db`. */
  databaseFile: string;
}

/** Returns the settings that both servers have. */
export function serverSettings({ port, databaseFile }: ServerDefaults) {
  const storageUrl = `sqlite:./data/${databaseFile}`;
  return {
    ...commonSettings,
    port: { env: port.env, schema: portNumber.default(port.default).describe('Port to listen on') },
    storageUrl: {
      env: 'STORAGE_URL',
      schema: secret(
        z
          .string()
          .regex(/^(sqlite:.|mongodb(\+srv)?:\/\/.)/, 'must be sqlite:<path of a file> or mongodb://<host>')
          .default(storageUrl),
      ).describe(`Database: \`sqlite:<path>\` or \`mongodb://…\`; default: \`${storageUrl}\``),
    },
  };
}

/** Returns the drain period in seconds, in which load balancers detect a shutdown; the default is 0 unless in production. */
export function toDrainSeconds({
  drainSeconds,
  mode,
}: Pick<Config<typeof commonSettings>, 'drainSeconds' | 'mode'>): number {
  return drainSeconds ?? (mode === 'production' ? PRODUCTION_DRAIN_SECONDS : 0);
}

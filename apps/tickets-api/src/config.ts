import {
  drainSettings,
  type Environment,
  findTlsConflicts,
  loadConfig,
  logLevel,
  nodeEnvironment,
  secret,
  tlsSettings,
  wholeNumber,
} from '@keydesk/config';
import { z } from 'zod';

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

/** Settings of the API: environment variable, default and description of each. */
export const settings = {
  environment: {
    env: 'NODE_ENV',
    schema: nodeEnvironment.default('development').describe('`production` refuses unsafe settings'),
  },
  host: { env: 'HOST', schema: z.string().default('127.0.0.1').describe('Address to listen on') },
  port: { env: 'API_PORT', schema: wholeNumber(0, 65_535).default(3001).describe('Port to listen on') },
  ...tlsSettings,
  ...drainSettings,
  baseUrl: {
    env: 'BASE_URL',
    schema: httpUrl
      .refine(isBaseUrl, 'must be scheme, host and an optional path, like https://example.com/helpdesk')
      .default('http://127.0.0.1:3001')
      .transform((url) => url.replace(/\/+$/, ''))
      .describe('Public URL of the API, including its path; also the audience of its access tokens'),
  },
  issuer: {
    env: 'ISSUER',
    schema: httpUrl
      .default('http://127.0.0.1:3000')
      .describe('Issuer URL of the authorization server whose tokens are accepted'),
  },
  docsClientId: {
    env: 'DOCS_CLIENT_ID',
    schema: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Client of type `spa` for signing in at `/docs/reference`; without it, users paste a token there',
      ),
  },
  jwksUrl: {
    env: 'JWKS_URL',
    schema: httpUrl.optional().describe('URL of the JWK Set of the issuer; default: `/jwks` of the issuer'),
  },
  storageUrl: {
    env: 'STORAGE_URL',
    schema: secret(
      z
        .string()
        .regex(/^(sqlite:|mongodb(\+srv)?:\/\/)/, 'must begin with sqlite: or mongodb://')
        .default('sqlite:./data/tickets.db'),
    ).describe('Database of tickets: `sqlite:PATH` or `mongodb://…` (default `sqlite:./data/tickets.db`)'),
  },
  redisUrl: {
    env: 'REDIS_URL',
    schema: secret(
      z.url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// URL' }).optional(),
    ).describe('Shares rate limits between processes; without it each process counts alone'),
  },
  readsPerMinute: {
    env: 'RATE_LIMIT_READS_PER_MINUTE',
    schema: wholeNumber(0, 1_000_000)
      .default(3000)
      .describe('Maximum reads per minute for each client and subject; 0: no limit'),
  },
  writesPerMinute: {
    env: 'RATE_LIMIT_WRITES_PER_MINUTE',
    schema: wholeNumber(0, 1_000_000)
      .default(600)
      .describe('Maximum writes per minute for each client and subject; 0: no limit'),
  },
  rateLimitStatus: {
    env: 'RATE_LIMIT_STATUS',
    schema: z
      .enum(['421', '429'], 'must be 421 or 429')
      .default('421')
      .transform(Number)
      .describe('HTTP status for too many requests'),
  },
  replyEditMinutes: {
    env: 'REPLY_EDIT_MINUTES',
    schema: wholeNumber(0, 525_600)
      .default(15)
      .describe('Minutes in which authors may edit and remove their replies; administrators always may'),
  },
  solvedClosesAfterDays: {
    env: 'SOLVED_CLOSES_AFTER_DAYS',
    schema: wholeNumber(0, 36_500)
      .default(28)
      .describe('Days after which a solved ticket closes by itself; 0: never'),
  },
  purgeDeletedAfterDays: {
    env: 'PURGE_DELETED_AFTER_DAYS',
    schema: wholeNumber(0, 36_500)
      .default(30)
      .describe('Days after which a deleted ticket is purged; 0: never'),
  },
  changesRetentionDays: {
    env: 'CHANGES_RETENTION_DAYS',
    schema: wholeNumber(0, 36_500)
      .default(90)
      .describe(
        'Days for which the change feed keeps tombstones; a client that was offline for longer starts over; 0: forever',
      ),
  },
  trustedProxyHops: {
    env: 'TRUSTED_PROXY_HOPS',
    schema: wholeNumber(0, 10).default(0).describe('Number of trusted proxies that add to X-Forwarded-For'),
  },
  logLevel: {
    env: 'LOG_LEVEL',
    schema: logLevel.default('info').describe('Minimum log level'),
  },
  metricsPort: {
    env: 'METRICS_PORT',
    schema: wholeNumber(0, 65_535)
      .optional()
      .describe('Serves Prometheus metrics on this port of HOST; off by default'),
  },
} as const;

export type Config = ReturnType<typeof loadApiConfig>;

/**
 * Loads the settings.
 *
 * @throws {ConfigError} lists every invalid setting, and in production every unsafe one
 */
export function loadApiConfig(env: Environment) {
  return loadConfig(settings, env, ({ environment, baseUrl, issuer, jwksUrl, ...tls }) => [
    ...findTlsConflicts(tls, { env: settings.baseUrl.env, url: baseUrl }),
    ...(environment === 'production'
      ? [
          ...productionFaults(settings.baseUrl.env, baseUrl, env),
          ...productionFaults(settings.issuer.env, issuer, env),
          // An attacker who can replace the JWK Set could sign tokens of any role (OpenID Connect Core §16.17).
          ...(jwksUrl === undefined ? [] : productionFaults(settings.jwksUrl.env, jwksUrl, env)),
        ]
      : []),
  ]);
}

/** Returns why a URL is unsafe in production, where no default is allowed either. */
function productionFaults(name: string, url: string | undefined, env: Environment): string[] {
  if (!env[name]) return [`${name}: must be set in production`];
  if (url === undefined || new URL(url).protocol === 'https:' || isLoopback(url)) return [];
  return [`${name}: must be https in production, unless it is a loopback address`];
}

/** Whether paths can be appended to a URL: it has no userinfo, query or fragment. */
function isBaseUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed === null || (parsed.username === '' && parsed.password === '' && !/[?#]/.test(url));
}

function isLoopback(url: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

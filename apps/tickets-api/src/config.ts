import {
  drainSettings,
  type Environment,
  loadConfig,
  logLevel,
  nodeEnvironment,
  secret,
  tlsFaults,
  tlsSettings,
  wholeNumber,
} from '@keydesk/config';
import { z } from 'zod';

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

/** Every setting of the API: the variable that carries it, its default and what it is for. */
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
      .describe('Public URL of the API, with its path if it has one; also the audience of its tokens'),
  },
  issuer: {
    env: 'ISSUER',
    schema: httpUrl
      .default('http://127.0.0.1:3000')
      .describe('The authorization server whose tokens are accepted'),
  },
  docsClientId: {
    env: 'DOCS_CLIENT_ID',
    schema: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Client, of type `spa`, as which people sign in at `/docs/reference`; without it they paste a token there',
      ),
  },
  jwksUrl: {
    env: 'JWKS_URL',
    schema: httpUrl.optional().describe('Where its public keys are; by default `/jwks` of the issuer'),
  },
  storageUrl: {
    env: 'STORAGE_URL',
    schema: secret(
      z
        .string()
        .regex(/^(sqlite:|mongodb(\+srv)?:\/\/)/, 'must begin with sqlite: or mongodb://')
        .default('sqlite:./data/tickets.db'),
    ).describe('Where tickets are kept: `sqlite:PATH` or `mongodb://…` (default `sqlite:./data/tickets.db`)'),
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
      .describe('Reads a client and subject may make a minute; 0: no limit'),
  },
  writesPerMinute: {
    env: 'RATE_LIMIT_WRITES_PER_MINUTE',
    schema: wholeNumber(0, 1_000_000)
      .default(600)
      .describe('Writes a client and subject may make a minute; 0: no limit'),
  },
  rateLimitStatus: {
    env: 'RATE_LIMIT_STATUS',
    schema: z
      .enum(['421', '429'], 'must be 421 or 429')
      .default('421')
      .transform(Number)
      .describe('Status of too many requests'),
  },
  replyEditMinutes: {
    env: 'REPLY_EDIT_MINUTES',
    schema: wholeNumber(0, 525_600)
      .default(15)
      .describe('How long authors may edit and remove their replies; administrators always may'),
  },
  solvedClosesAfterDays: {
    env: 'SOLVED_CLOSES_AFTER_DAYS',
    schema: wholeNumber(0, 36_500)
      .default(28)
      .describe('After how many days a solved ticket closes by itself; 0: never'),
  },
  purgeDeletedAfterDays: {
    env: 'PURGE_DELETED_AFTER_DAYS',
    schema: wholeNumber(0, 36_500)
      .default(30)
      .describe('After how many days a deleted ticket is gone for good; 0: never'),
  },
  changesRetentionDays: {
    env: 'CHANGES_RETENTION_DAYS',
    schema: wholeNumber(0, 36_500)
      .default(90)
      .describe(
        'For how many days the change feed tells what was deleted; a client that was away for longer starts over; 0: for ever',
      ),
  },
  trustedProxyHops: {
    env: 'TRUSTED_PROXY_HOPS',
    schema: wholeNumber(0, 10).default(0).describe('How many proxies in front add to X-Forwarded-For'),
  },
  logLevel: {
    env: 'LOG_LEVEL',
    schema: logLevel.default('info').describe('Least level that is logged'),
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
 * Reads the settings.
 *
 * @throws {ConfigError} every fault, and in production every unsafe setting, at once
 */
export function loadApiConfig(env: Environment) {
  return loadConfig(settings, env, ({ environment, baseUrl, issuer, jwksUrl, ...tls }) => [
    ...tlsFaults(tls, { env: settings.baseUrl.env, url: baseUrl }),
    ...(environment === 'production'
      ? [
          ...unfit(settings.baseUrl.env, baseUrl, env),
          ...unfit(settings.issuer.env, issuer, env),
          // Who is in the way of the keys signs tokens of any role.
          ...(jwksUrl === undefined ? [] : unfit(settings.jwksUrl.env, jwksUrl, env)),
        ]
      : []),
  ]);
}

/** What speaks against a URL in production, where none may be what it is by default. */
function unfit(name: string, url: string | undefined, env: Environment): string[] {
  if (!env[name]) return [`${name}: must be set in production`];
  if (url === undefined || new URL(url).protocol === 'https:' || isLoopback(url)) return [];
  return [`${name}: must be https in production, unless it is a loopback address`];
}

/** Whether paths can be added to a URL: it has no user, query or fragment. */
function isBaseUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed === null || (parsed.username === '' && parsed.password === '' && !/[?#]/.test(url));
}

function isLoopback(url: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

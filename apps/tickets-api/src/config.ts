import {
  type Environment,
  findTlsConflicts,
  isLoopback,
  loadConfig,
  serverSettings,
  wholeNumber,
} from '@keydesk/config';
import { z } from 'zod';

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

/** Settings of the API: environment variable, default and description of each. */
export const settings = {
  ...serverSettings({ port: { env: 'API_PORT', default: 3001 }, databaseFile: 'tickets.db' }),
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
} as const;

export type Config = ReturnType<typeof loadApiConfig>;

/**
 * Loads the settings.
 *
 * @throws {ConfigError} lists every invalid setting, and in production every unsafe one
 */
export function loadApiConfig(env: Environment) {
  return loadConfig(settings, env, ({ mode, baseUrl, issuer, jwksUrl, ...tls }) => [
    ...findTlsConflicts(tls, { env: settings.baseUrl.env, url: baseUrl }),
    ...(mode === 'production'
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

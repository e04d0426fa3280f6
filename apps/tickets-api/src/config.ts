import {
  type Environment,
  findTelemetryConflicts,
  findTlsConflicts,
  isLoopback,
  loadConfig,
  secret,
  serverSettings,
  wholeNumber,
} from '@keydesk/config';
import { z } from 'zod';
import type { StepUpRequirements } from './api/access/step-up.ts';

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
  tokenStatusListUrl: {
    env: 'TOKEN_STATUS_LIST_URL',
    schema: z
      .union([z.literal('none'), httpUrl], 'must be an http or https URL, or none')
      .optional()
      .describe(
        'URL of the list of revoked access tokens; default: `/token-status-list` of the issuer; `none`: a revoked token is accepted until it expires',
      ),
  },
  securityEventsClientId: {
    env: 'SECURITY_EVENTS_CLIENT_ID',
    schema: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Client of type `resource-server` that polls the issuer for events, such as deleted accounts; default: no events',
      ),
  },
  securityEventsClientSecret: {
    env: 'SECURITY_EVENTS_CLIENT_SECRET',
    schema: secret(z.string().min(1).optional()).describe('Secret of that client'),
  },
  securityEventsUrl: {
    env: 'SECURITY_EVENTS_URL',
    schema: httpUrl
      .optional()
      .describe('URL to poll for events (RFC 8936); default: `/security-events` of the issuer'),
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
      .describe(
        'Minutes during which authors may edit and remove their replies; administrators may at any time',
      ),
  },
  solvedClosesAfterDays: {
    env: 'SOLVED_CLOSES_AFTER_DAYS',
    schema: wholeNumber(0, 36_500)
      .default(28)
      .describe('Days after which a solved ticket is closed automatically; 0: never'),
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
        'Days for which the change feed keeps tombstones; a client that was offline for longer must start over; 0: forever',
      ),
  },
  stepUpOperations: {
    env: 'STEP_UP_OPERATIONS',
    schema: z
      .string()
      .regex(/^[\w\s,]*$/, 'must be names, separated by commas or spaces')
      .default('purge,definitions,merge,export')
      .transform((list) => toNames(list, /[\s,]+/))
      .describe(
        'Operations that require the user authentication configured below: `purge`, `definitions` (changes of statuses, types, priorities, custom fields and rights), `merge`, `export`, and ids of operations; `none`: no operation',
      ),
  },
  stepUpAcrValues: {
    env: 'STEP_UP_ACR_VALUES',
    schema: z
      .string()
      .regex(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/, 'must be printable ASCII without quotes and backslashes')
      .transform((list) => toNames(list, /\s+/))
      .optional()
      .describe(
        'Authentication context classes, separated by spaces, of which these operations require one (RFC 9470); `none`: any; default: those with a second factor in production, otherwise `none`',
      ),
  },
  stepUpMaxAgeSeconds: {
    env: 'STEP_UP_MAX_AGE_SECONDS',
    schema: wholeNumber(0, 31_536_000)
      .optional()
      .describe(
        'Maximum age in seconds of a user authentication that these operations accept; 0: no limit; default: 3600 in production, otherwise 0',
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
  return loadConfig(
    settings,
    env,
    ({ mode, baseUrl, issuer, jwksUrl, tokenStatusListUrl: list, ...given }) => [
      ...findTlsConflicts(given, { env: settings.baseUrl.env, url: baseUrl }),
      ...findTelemetryConflicts(given),
      ...findMissingCredentials(given),
      ...(mode === 'production'
        ? [
            ...productionFaults(settings.baseUrl.env, baseUrl, env),
            ...productionFaults(settings.issuer.env, issuer, env),
            // An attacker who can replace the JWK Set could sign tokens of any role (OpenID Connect Core §16.17).
            ...(jwksUrl === undefined ? [] : productionFaults(settings.jwksUrl.env, jwksUrl, env)),
            ...(list === undefined || list === 'none'
              ? []
              : productionFaults(settings.tokenStatusListUrl.env, list, env)),
            ...(given.securityEventsUrl === undefined
              ? []
              : productionFaults(settings.securityEventsUrl.env, given.securityEventsUrl, env)),
          ]
        : []),
    ],
  );
}

/** Checks that the client that polls for events has an id and a secret, or neither. */
function findMissingCredentials(
  loaded: Partial<Record<'securityEventsClientId' | 'securityEventsClientSecret', string | undefined>>,
): string[] {
  const both = ['securityEventsClientId', 'securityEventsClientSecret'] as const;
  const missing = both.filter((field) => field in loaded && loaded[field] === undefined);
  return missing.length === 1
    ? missing.map((field) => `${settings[field].env}: must be set together with the other of the client`)
    : [];
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

/** Splits a list; `none` stands for the empty list, because an empty variable counts as unset. */
function toNames(list: string, separator: RegExp): readonly string[] {
  return list === 'none' ? [] : list.split(separator).filter(Boolean);
}

/** Classes of the authorization server that include a second factor. */
const multiFactorAcrValues = ['http://schemas.openid.net/pape/policies/2007/06/multi-factor', 'phr'];
const PRODUCTION_MAX_AGE_SECONDS = 3600;

/**
 * Returns what sensitive operations require of the authentication of users; `undefined` if nothing. Only production has
 * requirements by default, because accounts of development have no second factor.
 */
export function stepUpRequirementsOf(
  config: Pick<Config, 'mode' | 'stepUpAcrValues' | 'stepUpMaxAgeSeconds'>,
): StepUpRequirements | undefined {
  const isProduction = config.mode === 'production';
  const { stepUpAcrValues: acrValues = isProduction ? multiFactorAcrValues : [] } = config;
  const { stepUpMaxAgeSeconds: maxAge = isProduction ? PRODUCTION_MAX_AGE_SECONDS : 0 } = config;
  if (acrValues.length === 0 && maxAge === 0) return undefined;
  return { acrValues, maxAgeSeconds: maxAge === 0 ? undefined : maxAge };
}

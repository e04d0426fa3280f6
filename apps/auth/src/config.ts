import {
  type Config,
  drainSettings,
  type Environment,
  findTlsConflicts,
  loadConfig,
  logLevel,
  nodeEnvironment,
  secret,
  tlsSettings,
  wholeNumber,
  yesOrNo,
} from '@keydesk/config';
import { z } from 'zod';
import { accountSettings } from './accounts/settings.ts';
import type { KeyTimings } from './keys/key-schedule.ts';
import { isDevelopmentSecret, masterSecretSchema } from './keys/master-secret.ts';
import { mailProblems, mailSettings } from './mail/settings.ts';
import { brandSettings } from './pages/brand-settings.ts';
import { portalSettings } from './portal/settings.ts';
import { clientDocumentSettings } from './provider/client-documents.ts';
import { conformanceFaults, conformanceSettings } from './provider/conformance-profile.ts';
import { registrationSettings } from './registrations/settings.ts';

const port = wholeNumber(0, 65_535);
const MAX_TOKEN_TTL_SECONDS = 900;
const ONE_DAY_SECONDS = 86_400;
const ONE_DAY_MS = ONE_DAY_SECONDS * 1000;
/** A process may miss some polls, and still knows of a rotation before it takes place. */
const MISSED_POLLS = 4;
const CLOCK_SKEW_MS = 60_000;

/** Every setting of the authorization server. */
export const settings = {
  mode: {
    env: 'NODE_ENV',
    schema: nodeEnvironment
      .default('development')
      .describe('`production` refuses to start on settings that are only safe for trying things'),
  },
  host: { env: 'HOST', schema: z.string().default('127.0.0.1').describe('Address to listen on') },
  port: { env: 'AUTH_PORT', schema: port.default(3000).describe('Port to listen on') },
  ...tlsSettings,
  ...drainSettings,
  issuer: {
    env: 'ISSUER',
    schema: z
      .string()
      .refine(isOrigin, 'must be scheme, host and port only, like https://auth.example.com')
      .optional()
      .describe('URL that clients reach the server by; default: `http://HOST:AUTH_PORT`, or `https://`'),
  },
  apiAudience: {
    env: 'API_AUDIENCE',
    schema: z
      .url('must be an absolute URL')
      .refine((url) => !url.includes('#'), 'must not have a fragment')
      .optional()
      .describe('URL of the API that tokens are for (RFC 8707); default: `http://127.0.0.1:3001`'),
  },
  storageUrl: {
    env: 'STORAGE_URL',
    schema: secret(
      z
        .string()
        .regex(/^(sqlite:.|mongodb(\+srv)?:\/\/.)/, 'must be sqlite:<path of a file> or mongodb://<host>')
        .default('sqlite:./data/auth.db'),
    ).describe('Database: `sqlite:<path>` or `mongodb://…`; default: `sqlite:./data/auth.db`'),
  },
  masterSecret: {
    env: 'MASTER_SECRET',
    schema: secret(masterSecretSchema).describe(
      'At least 32 random bytes as text; every key is derived from it',
    ),
  },
  redisUrl: {
    env: 'REDIS_URL',
    schema: secret(
      z
        .string()
        .regex(/^rediss?:\/\/./, 'must begin with redis:// or rediss://')
        .optional(),
    ).describe('Redis that shares the rate limits among processes'),
  },
  logLevel: {
    env: 'LOG_LEVEL',
    schema: logLevel.default('info').describe('Least level of the log lines that are written'),
  },
  accessTokenTtlSeconds: {
    env: 'ACCESS_TOKEN_TTL_SECONDS',
    schema: wholeNumber(300, MAX_TOKEN_TTL_SECONDS)
      .default(600)
      .describe('Access token lifetime in seconds (300 to 900)'),
  },
  staffAccessTokenTtlSeconds: {
    env: 'STAFF_ACCESS_TOKEN_TTL_SECONDS',
    schema: wholeNumber(300, MAX_TOKEN_TTL_SECONDS)
      .default(300)
      .describe(
        'The same (300 to 900) for agents and administrators, and for machines in these roles, because their tokens open all tickets alike',
      ),
  },
  refreshTokenIdleDays: {
    env: 'REFRESH_TOKEN_IDLE_DAYS',
    schema: wholeNumber(1, 365)
      .default(60)
      .describe('How long a refresh token may lie unused; at most a year in all'),
  },
  refreshReplaySeconds: {
    env: 'REFRESH_REPLAY_SECONDS',
    schema: wholeNumber(0, 300)
      .default(30)
      .describe('How long a refresh token that was used gets the same answer again; 0: never'),
  },
  deviceCodeTtlSeconds: {
    env: 'DEVICE_CODE_TTL_SECONDS',
    schema: wholeNumber(60, 1_800)
      .default(600)
      .describe('How long people have to enter the code that a device shows'),
  },
  ...brandSettings,
  ...accountSettings,
  ...mailSettings,
  ...portalSettings,
  ...registrationSettings,
  ...clientDocumentSettings,
  ...conformanceSettings,
  allowsPrivateAddresses: {
    env: 'ALLOW_PRIVATE_ADDRESSES',
    schema: yesOrNo
      .optional()
      .describe('Whether what clients name at private addresses is called; default: not in production'),
  },
  trustedProxyHops: {
    env: 'TRUSTED_PROXY_HOPS',
    schema: wholeNumber(0, 10)
      .default(0)
      .describe('Proxies of yours in front of the server, whose `X-Forwarded-For` entries count'),
  },
  authorizationRateLimitPerAddress: {
    env: 'AUTHORIZATION_RATE_LIMIT_PER_ADDRESS',
    schema: wholeNumber(0, 1_000_000)
      .default(120)
      .describe('Authorization, device and log-out requests a minute of one address; 0 for no limit'),
  },
  tokenRateLimitPerAddress: {
    env: 'TOKEN_RATE_LIMIT_PER_ADDRESS',
    schema: wholeNumber(0, 1_000_000)
      .default(600)
      .describe(
        'Token requests a minute of one address, and as many about tokens by strangers; 0 for no limit',
      ),
  },
  tokenRateLimitPerClient: {
    env: 'TOKEN_RATE_LIMIT_PER_CLIENT',
    schema: wholeNumber(0, 1_000_000)
      .default(300)
      .describe('Token requests a minute of one client, and as many about its tokens; 0 for no limit'),
  },
  keyPollSeconds: {
    env: 'KEY_POLL_SECONDS',
    schema: wholeNumber(1, 300)
      .default(5)
      .describe('How often each process looks for a rotation of the signing keys'),
  },
  keyPublicationLeadSeconds: {
    env: 'KEY_PUBLICATION_LEAD_SECONDS',
    schema: wholeNumber(2, 30 * ONE_DAY_SECONDS)
      .default(3_600)
      .describe('How long a signing key is published before its first use'),
  },
  keyRotationDays: {
    env: 'KEY_ROTATION_DAYS',
    schema: wholeNumber(0, 3_650)
      .default(90)
      .describe('Age at which the signing key is replaced; 0: only by command'),
  },
  purgeIntervalSeconds: {
    env: 'PURGE_INTERVAL_SECONDS',
    schema: wholeNumber(1, ONE_DAY_SECONDS).default(60).describe('How often what has expired is deleted'),
  },
  auditRetentionDays: {
    env: 'AUDIT_RETENTION_DAYS',
    schema: wholeNumber(0, 36_500)
      .default(365)
      .describe('Age at which records of the audit are deleted; 0: never'),
  },
  metricsPort: {
    env: 'METRICS_PORT',
    schema: port
      .optional()
      .describe('Port of a listener of its own for Prometheus; without it there are no metrics'),
  },
} as const;

type Settled = Config<typeof settings>;
export interface AuthConfig extends Omit<Settled, 'issuer' | 'apiAudience' | 'allowsPrivateAddresses'> {
  readonly issuer: string;
  readonly apiAudience: string;
  readonly allowsPrivateAddresses: boolean;
}

/** @throws {ConfigError} naming every faulty setting, and in production every reason that makes it unsafe */
export function loadAuthConfig(env: Environment): AuthConfig {
  const config = loadConfig(settings, env, (settled) => [
    ...findTlsConflicts(settled, { env: settings.issuer.env, url: settled.issuer }),
    ...dangersOf(settled),
    ...conformanceFaults(settled),
  ]);
  return Object.freeze({
    ...config,
    issuer: issuerOf(config),
    apiAudience: config.apiAudience ?? 'http://127.0.0.1:3001',
    allowsPrivateAddresses: config.allowsPrivateAddresses ?? config.mode !== 'production',
  });
}

/** The issuer identifier, without a trailing slash: every URL of the server begins with it. */
export function issuerOf({
  issuer,
  host,
  port,
  tlsCertFile,
}: Pick<Settled, 'issuer' | 'host' | 'port'> & Partial<Pick<Settled, 'tlsCertFile'>>): string {
  return issuer ?? `${tlsCertFile ? 'https' : 'http'}://${toUrlHost(host)}:${port}`;
}

/** What makes settings unfit for production. */
function dangersOf(settled: Partial<Settled>): string[] {
  const { mode, masterSecret = '', issuer } = settled;
  // One that is set, and faulty, is absent, and was told of.
  const isUnset = (field: keyof Settled) => field in settled && settled[field] === undefined;
  if (mode !== 'production') return [];
  const checks: [isDangerous: boolean, reason: string][] = [
    [
      isDevelopmentSecret(masterSecret),
      'MASTER_SECRET: is a development secret; production needs one of its own (openssl rand -base64 32)',
    ],
    [
      isUnset('issuer'),
      'ISSUER: must be set in production, to the https URL that clients reach the server by',
    ],
    [
      issuer !== undefined && !isHttps(issuer) && !isLoopback(issuer),
      'ISSUER: must be an https URL in production; plain http is for loopback addresses only',
    ],
    [isUnset('apiAudience'), 'API_AUDIENCE: must be set in production, to the URL of the API'],
  ];
  const reasons = checks.filter(([isDangerous]) => isDangerous).map(([, reason]) => reason);
  return [...reasons, ...mailProblems(settled)];
}

/** The timings of key rotation that settings ask for. */
export function toKeyTimings(
  config: Pick<AuthConfig, 'keyPollSeconds' | 'keyPublicationLeadSeconds' | 'keyRotationDays'>,
): KeyTimings {
  const takeOverLeadMs = MISSED_POLLS * config.keyPollSeconds * 1000;
  return {
    publicationLeadMs: config.keyPublicationLeadSeconds * 1000,
    takeOverLeadMs,
    // The longest life that any setting allows, for it may have been changed since; and clocks differ.
    retentionMs: MAX_TOKEN_TTL_SECONDS * 1000 + takeOverLeadMs + CLOCK_SKEW_MS,
    rotationMs: config.keyRotationDays * ONE_DAY_MS,
  };
}

export function isHttps(url: string): boolean {
  return url.startsWith('https:');
}

function isLoopback(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && /^https?:/.test(text);
}

/** The host by which a server that listens on an address is reached on the same machine. */
function toUrlHost(address: string): string {
  if (address === '0.0.0.0' || address === '::') return 'localhost';
  return address.includes(':') ? `[${address}]` : address;
}

import {
  type Config,
  type Environment,
  findTelemetryConflicts,
  findTlsConflicts,
  isLoopback,
  loadConfig,
  secret,
  serverSettings,
  wholeNumber,
  yesOrNo,
} from '@keydesk/config';
import { z } from 'zod';
import { accountSettings } from './accounts/account/settings.ts';
import type { IdentityProvider } from './accounts/identities/identity-provider.ts';
import { registrationSettings } from './clients/registration/settings.ts';
import type { KeyTimings } from './keys/key-schedule.ts';
import { isDevelopmentSecret, masterSecretSchema } from './keys/master-secret.ts';
import { mailProblems, mailSettings } from './mail/settings.ts';
import { brandSettings } from './pages/brand-settings.ts';
import { clientDocumentSettings } from './provider/clients/client-document-settings.ts';
import { conformanceSettings, findConformanceFaults } from './provider/conformance-profile.ts';
import type { Role } from './values/scopes.ts';
import { portalSettings } from './web/developer/settings.ts';
import {
  findMissingSecrets,
  identityProviderSettings,
  toIdentityProviders,
} from './web/upstream/provider-file.ts';

const MAX_TOKEN_TTL_SECONDS = 900;
const ONE_DAY_SECONDS = 86_400;
const ONE_DAY_MS = ONE_DAY_SECONDS * 1000;
/** Polls that a process may miss and still load a new key before its first use. */
const MISSED_POLLS = 4;
const CLOCK_SKEW_MS = 60_000;

/** Every setting of the authorization server. */
export const settings = {
  ...serverSettings({ port: { env: 'AUTH_PORT', default: 3000 }, databaseFile: 'auth.db' }),
  issuer: {
    env: 'ISSUER',
    schema: z
      .string()
      .refine(isOrigin, 'must be scheme, host and port only, like https://auth.example.com')
      .optional()
      .describe(
        'Public URL of the server; default: `http://HOST:AUTH_PORT`, or `https://` with a certificate',
      ),
  },
  apiAudience: {
    env: 'API_AUDIENCE',
    schema: z
      .url('must be an absolute URL')
      .refine((url) => !url.includes('#'), 'must not have a fragment')
      .optional()
      .describe('URL of the API, the audience of access tokens (RFC 8707); default: `http://127.0.0.1:3001`'),
  },
  masterSecret: {
    env: 'MASTER_SECRET',
    schema: secret(masterSecretSchema).describe(
      'At least 32 random bytes as text, from which all keys are derived',
    ),
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
        'Access token lifetime in seconds (300 to 900) of agents, administrators and machine clients with these roles, because their tokens give access to all tickets',
      ),
  },
  refreshTokenIdleDays: {
    env: 'REFRESH_TOKEN_IDLE_DAYS',
    schema: wholeNumber(1, 365)
      .default(60)
      .describe(
        'Days after which an unused refresh token expires; no refresh token lives longer than a year',
      ),
  },
  refreshReplaySeconds: {
    env: 'REFRESH_REPLAY_SECONDS',
    schema: wholeNumber(0, 300)
      .default(30)
      .describe('Seconds during which a used refresh token gets the same response again; 0: never'),
  },
  deviceCodeTtlSeconds: {
    env: 'DEVICE_CODE_TTL_SECONDS',
    schema: wholeNumber(60, 1_800)
      .default(600)
      .describe('Lifetime of a device code and its user code in seconds (60 to 1800)'),
  },
  ...brandSettings,
  ...accountSettings,
  ...identityProviderSettings,
  ...mailSettings,
  ...portalSettings,
  ...registrationSettings,
  ...clientDocumentSettings,
  ...conformanceSettings,
  allowsPrivateAddresses: {
    env: 'ALLOW_PRIVATE_ADDRESSES',
    schema: yesOrNo
      .optional()
      .describe(
        'Whether the server sends requests to client URLs at private addresses; default: only outside production',
      ),
  },
  authorizationRateLimitPerAddress: {
    env: 'AUTHORIZATION_RATE_LIMIT_PER_ADDRESS',
    schema: wholeNumber(0, 1_000_000)
      .default(120)
      .describe('Authorization, device and log-out requests per minute and address; 0: no limit'),
  },
  tokenRateLimitPerAddress: {
    env: 'TOKEN_RATE_LIMIT_PER_ADDRESS',
    schema: wholeNumber(0, 1_000_000)
      .default(600)
      .describe(
        'Token requests per minute and address, and as many introspection and revocation requests without client authentication; 0: no limit',
      ),
  },
  tokenRateLimitPerClient: {
    env: 'TOKEN_RATE_LIMIT_PER_CLIENT',
    schema: wholeNumber(0, 1_000_000)
      .default(300)
      .describe(
        'Token requests per minute and client, and as many introspection and revocation requests; 0: no limit',
      ),
  },
  keyPollSeconds: {
    env: 'KEY_POLL_SECONDS',
    schema: wholeNumber(1, 300)
      .default(5)
      .describe('Interval in seconds at which each process checks for rotated signing keys'),
  },
  keyPublicationLeadSeconds: {
    env: 'KEY_PUBLICATION_LEAD_SECONDS',
    schema: wholeNumber(2, 30 * ONE_DAY_SECONDS)
      .default(3_600)
      .describe('Seconds for which a signing key is published before its first use'),
  },
  keyRotationDays: {
    env: 'KEY_ROTATION_DAYS',
    schema: wholeNumber(0, 3_650)
      .default(90)
      .describe('Age in days at which the signing key is replaced; 0: only by command'),
  },
  purgeIntervalSeconds: {
    env: 'PURGE_INTERVAL_SECONDS',
    schema: wholeNumber(1, ONE_DAY_SECONDS)
      .default(60)
      .describe('Interval in seconds at which expired records are deleted'),
  },
  securityEventRetentionDays: {
    env: 'SECURITY_EVENT_RETENTION_DAYS',
    schema: wholeNumber(1, 3_650)
      .default(90)
      .describe('Days after which a security event that a resource server has not acknowledged is deleted'),
  },
  auditRetentionDays: {
    env: 'AUDIT_RETENTION_DAYS',
    schema: wholeNumber(0, 36_500)
      .default(365)
      .describe('Age in days at which audit records are deleted; 0: never'),
  },
} as const;

/** Roles that see the tickets of all customers. */
const staffRoles: readonly Role[] = ['agent', 'admin'];

type LoadedSettings = Config<typeof settings>;
export interface AuthConfig
  extends Omit<
    LoadedSettings,
    'issuer' | 'apiAudience' | 'allowsPrivateAddresses' | 'secondFactorRequiredFor'
  > {
  readonly issuer: string;
  readonly apiAudience: string;
  readonly allowsPrivateAddresses: boolean;
  /** Providers at which users can sign in, in the order of their buttons. */
  readonly identityProviders: readonly IdentityProvider[];
  readonly secondFactorRequiredFor: readonly Role[];
}

/** @throws {ConfigError} listing every invalid setting, and in production every unsafe one */
export function loadAuthConfig(env: Environment): AuthConfig {
  const config = loadConfig(settings, env, (loaded) => [
    ...findTlsConflicts(loaded, { env: settings.issuer.env, url: loaded.issuer }),
    ...findTelemetryConflicts(loaded),
    ...findProductionFaults(loaded),
    ...findConformanceFaults(loaded),
    ...findMissingSecrets(loaded.identityProviderFile, env),
  ]);
  return Object.freeze({
    ...config,
    issuer: issuerOf(config),
    apiAudience: config.apiAudience ?? 'http://127.0.0.1:3001',
    allowsPrivateAddresses: config.allowsPrivateAddresses ?? config.mode !== 'production',
    identityProviders: toIdentityProviders(config.identityProviderFile, env),
    secondFactorRequiredFor:
      config.secondFactorRequiredFor ?? (config.mode === 'production' ? staffRoles : []),
  });
}

/** The issuer identifier, without a trailing slash: every URL of the server begins with it. */
export function issuerOf({
  issuer,
  host,
  port,
  tlsCertFile,
}: Pick<LoadedSettings, 'issuer' | 'host' | 'port'> & Partial<Pick<LoadedSettings, 'tlsCertFile'>>): string {
  return issuer ?? `${tlsCertFile ? 'https' : 'http'}://${toUrlHost(host)}:${port}`;
}

/** Lists the reasons why settings are unsafe in production. */
function findProductionFaults(loaded: Partial<LoadedSettings>): string[] {
  const { mode, masterSecret = '', issuer } = loaded;
  // An invalid setting is absent from `loaded`, and its fault is already listed.
  const isUnset = (field: keyof LoadedSettings) => field in loaded && loaded[field] === undefined;
  if (mode !== 'production') return [];
  const checks: [isUnsafe: boolean, reason: string][] = [
    [
      isDevelopmentSecret(masterSecret),
      'MASTER_SECRET: is a development secret; generate one for production (openssl rand -base64 32)',
    ],
    [isUnset('issuer'), 'ISSUER: must be set in production to the public https URL of the server'],
    [
      issuer !== undefined && !isHttps(issuer) && !isLoopback(issuer),
      'ISSUER: must be an https URL in production; plain http is for loopback addresses only',
    ],
    [isUnset('apiAudience'), 'API_AUDIENCE: must be set in production to the URL of the API'],
  ];
  const reasons = checks.filter(([isUnsafe]) => isUnsafe).map(([, reason]) => reason);
  return [...reasons, ...mailProblems(loaded)];
}

/** Converts the settings of key rotation to milliseconds. */
export function toKeyTimings(
  config: Pick<AuthConfig, 'keyPollSeconds' | 'keyPublicationLeadSeconds' | 'keyRotationDays'>,
): KeyTimings {
  const takeOverLeadMs = MISSED_POLLS * config.keyPollSeconds * 1000;
  return {
    publicationLeadMs: config.keyPublicationLeadSeconds * 1000,
    takeOverLeadMs,
    // The longest lifetime that the settings allow, because they may have changed since, plus clock skew.
    retentionMs: MAX_TOKEN_TTL_SECONDS * 1000 + takeOverLeadMs + CLOCK_SKEW_MS,
    rotationMs: config.keyRotationDays * ONE_DAY_MS,
  };
}

export function isHttps(url: string): boolean {
  return url.startsWith('https:');
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && /^https?:/.test(text);
}

/** Returns the host of a URL that reaches a listener from the same machine. */
function toUrlHost(address: string): string {
  if (address === '0.0.0.0' || address === '::') return 'localhost';
  return address.includes(':') ? `[${address}]` : address;
}

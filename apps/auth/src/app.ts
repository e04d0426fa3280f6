import type { RequestListener } from 'node:http';
import type { RedisConnection } from '@keydesk/rate-limit';
import {
  apiSecurityHeaders,
  batchResponses,
  createHealth,
  errorResponses,
  type Health,
  type Metrics,
  type RepeatingTask,
  requestLog,
  runWithLease,
} from '@keydesk/server';
import type Provider from 'oidc-provider';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { Argon2Parameters } from './accounts/passwords/password-hash.ts';
import type { CommonPasswords } from './accounts/passwords/password-policy.ts';
import { announceRevocations } from './artifacts/announced-revocations.ts';
import { createPurge } from './artifacts/purge.ts';
import { createAudit, createAuditRetention } from './audit/audit.ts';
import { createProviderAudit } from './audit/provider-audit.ts';
import { createKeyAudit } from './audit/recorders.ts';
import { expireInvitations } from './clients/owners/account-consequences.ts';
import { type AccountServices, createAccountServices } from './composition/accounts.ts';
import { createRegistration, type RegistrationArea } from './composition/clients.ts';
import { measureLoad } from './composition/load-metrics.ts';
import { createPageSupport, createWebArea, type PageSupport, type WebArea } from './composition/pages.ts';
import { createProviderArea } from './composition/provider.ts';
import { assemblePolling, expireSecurityEvents } from './composition/security-events.ts';
import type { SharedDeps } from './composition/shared-deps.ts';
import { createTokenStatusArea, type TokenStatusArea } from './composition/token-status.ts';
import { type AuthConfig, isHttps, toKeyTimings } from './config.ts';
import { listEndpoints, listMiddleware, type ServerSteps } from './endpoints.ts';
import { deriveKeys } from './keys/derived-keys.ts';
import { createKeyRing, type KeyRing } from './keys/key-ring.ts';
import { createRememberedConsents, type RememberedConsents } from './provider/grants/remembered-consents.ts';
import { createHotProvider } from './provider/hot-provider.ts';
import { type BackChannelLogOut, createBackChannelLogOut } from './provider/log-out/back-channel-log-out.ts';
import { createLogOutNotifications } from './provider/log-out/log-out-notifications.ts';
import { createProvider } from './provider/provider.ts';
import type { Storage } from './storage/storage.ts';
import { pageAssets } from './web/kit/page-headers.ts';

export interface AppDeps {
  config: AuthConfig;
  storage: Storage;
  log: Logger;
  now: () => Date;
  redis?: RedisConnection | undefined;
  metrics?: Metrics | undefined;
  /** Rejected passwords; see `createCommonPasswords`. */
  commonPasswords?: CommonPasswords | undefined;
  /** Cost of password hashes; default: the recommendation of OWASP. */
  passwordParameters?: Argon2Parameters | undefined;
}

/** The authorization server without its listener. */
export interface App {
  handle: RequestListener;
  /** Makes the server not ready: `/readyz` answers 503. */
  drain(): void;
  /** Stops background work. The dependencies stay open. */
  stop(): Promise<void>;
}

const PURGE_BATCH = 1_000;

/**
 * Connects the areas of the authorization server. Creates the first signing keys if none exist.
 *
 * @throws {Error} if the stored keys were sealed with another master secret, or the database does not respond
 */
export async function createApp(deps: AppDeps): Promise<App> {
  const { config, storage, log, now, commonPasswords, passwordParameters } = deps;
  const derived = deriveKeys(config.masterSecret);
  const { redis, metrics } = deps;
  const audit = createAudit({ store: storage.audit, log, metrics });
  const base = { config, storage, log, now, redis, metrics, derived, audit };
  const ring = createKeys(base);
  const { tokenStatus, shared } = createStatuses(base, ring);
  const providerAudit = createProviderAudit({ audit, now });
  const consents = createConsents(shared);
  const accounts = createAccountServices({ ...shared, commonPasswords, passwordParameters });
  measureLoad(metrics, accounts);
  const registration = createRegistration(shared);
  const support = createPageSupport(config, storage);
  const web = createWebArea(shared, { accounts, consents, support });
  const polling = assemblePolling(shared, ring);
  const { secondFactors } = accounts.accounts;
  const protocol = createProviderArea(shared, {
    ring,
    providerAudit,
    consents,
    polling,
    support,
    secondFactors,
    tokenStatus,
  });
  const logOuts = createLogOuts(shared);
  const health = createHealth({ checks: { storage: storage.ping } });
  const createSteps = createServerSteps(shared, { health, support, web, registration });

  const provider = await createHotProvider({
    ring,
    build: (keys) =>
      createProvider({
        ...protocol.options,
        keys,
        events: [protocol.events, providerAudit, registration.events, logOuts, support.logOutOffers],
        createMiddleware: (instance) =>
          listMiddleware(createSteps(instance), listEndpoints(protocol.createSteps(instance), config)),
      }),
    pollMs: config.keyPollSeconds * 1000,
    log,
  });
  const purge = startPurge(shared, { registration, accounts });
  const waits = [polling, tokenStatus.publisher];
  return {
    handle: provider.handle,
    drain() {
      health.drain();
      for (const each of waits) each.endWaits();
    },
    async stop() {
      for (const each of waits) each.endWaits();
      await Promise.all([provider.stop(), purge.stop(), logOuts.stop()]);
      await accounts.stop();
      await audit.stop();
    },
  };
}

/** Creates the token statuses, and a storage whose revocations update them immediately. */
function createStatuses(
  base: SharedDeps,
  ring: KeyRing,
): { tokenStatus: TokenStatusArea; shared: SharedDeps } {
  const tokenStatus = createTokenStatusArea(base, ring);
  const artifacts = announceRevocations(base.storage.artifacts, tokenStatus.publisher.expire);
  return { tokenStatus, shared: { ...base, storage: { ...base.storage, artifacts } } };
}

function createKeys({ config, storage, log, now, derived, audit }: SharedDeps): KeyRing {
  return createKeyRing({
    store: storage.keys,
    sealer: derived.signingKeys,
    algorithms: ['ES256', 'RS256'],
    timings: toKeyTimings(config),
    now,
    log,
    onChanged: createKeyAudit({ audit, now }),
  });
}

function createConsents({ storage, now, derived }: SharedDeps): RememberedConsents {
  return createRememberedConsents({
    artifacts: storage.artifacts,
    clients: storage.clients,
    sealer: derived.artifacts,
    now,
  });
}

function createLogOuts({ storage, log, now, derived, audit }: SharedDeps): BackChannelLogOut {
  const notifications = createLogOutNotifications({
    artifacts: storage.artifacts,
    sealer: derived.artifacts,
    now,
    newId: uuidv7,
  });
  return createBackChannelLogOut({ notifications, audit, now, log });
}

interface ServerParts {
  health: Health;
  support: PageSupport;
  web: WebArea;
  registration: RegistrationArea;
}

/** Creates, per instance of oidc-provider, the steps of all requests and Keydesk's own endpoints. */
function createServerSteps(
  { config, log, metrics }: SharedDeps,
  { health, support, web, registration }: ServerParts,
): (provider: Provider) => ServerSteps {
  const shared = {
    sendTogether: batchResponses(),
    logRequest: requestLog({ log }),
    measureDuration: metrics?.httpDuration,
    setSecurityHeaders: apiSecurityHeaders({ isHttps: isHttps(config.issuer) }),
    sendErrors: errorResponses(),
    answerProbes: health.routes,
    serveAssets: pageAssets(support.pages.assets),
    serveLogos: web.serveLogos,
    redirectHome: web.redirectHome,
    showErrorsToBrowsers: web.showErrorsToBrowsers,
    registration: registration.routes,
  };
  return (provider) => ({ ...shared, ...web.createPages(provider) });
}

/** Deletes expired entries in one of all processes that share the database. */
function startPurge(
  { config, storage, log, now, metrics }: SharedDeps,
  { registration, accounts }: { registration: RegistrationArea; accounts: AccountServices },
): RepeatingTask {
  const purged = metrics?.counter('auth_expired_purged_total', 'Expired entries deleted', []);
  const purge = createPurge({
    stores: [
      storage.artifacts,
      storage.accountTokens,
      expireSecurityEvents({ storage, log }),
      ...registration.expiring,
      expireInvitations(storage.clients),
      createAuditRetention(storage.audit, config.auditRetentionDays),
      accounts.accounts,
    ],
    now,
    log,
    intervalSeconds: config.purgeIntervalSeconds,
    batch: PURGE_BATCH,
    onPurged: (count) => purged?.inc(count),
  });
  const lease = { store: storage.leases, name: 'purge', holder: uuidv7(), now, log };
  return runWithLease(lease, () => {
    purge.start();
    return purge;
  });
}

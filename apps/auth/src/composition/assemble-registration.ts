import { createRateLimiter, type RedisConnection } from '@keydesk/rate-limit';
import type { Metrics } from '@keydesk/server';
import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { ExpiringStore } from '../artifacts/purge.ts';
import type { Audit } from '../audit/audit.ts';
import { createRegistrationAudit } from '../audit/registration-audit.ts';
import { createClientActivity } from '../clients/registration/client-activity.ts';
import { expireIdleClients } from '../clients/registration/idle-clients.ts';
import { createRegistrationRoutes } from '../clients/registration/registration-routes.ts';
import { createRegistrations } from '../clients/registration/registrations.ts';
import type { RegistrationConfig } from '../clients/registration/settings.ts';
import type { DerivedKeys } from '../keys/derived-keys.ts';
import { isRegistrationEnabled } from '../provider/conformance-profile.ts';
import type { Storage } from '../storage/storage.ts';
import { assembleClients } from './assemble-clients.ts';

export interface RegistrationDeps {
  config: RegistrationConfig & { issuer: string; isConformanceProfile: boolean };
  storage: Storage;
  log: Logger;
  audit: Pick<Audit, 'record'>;
  derived: Pick<DerivedKeys, 'clientSecrets'>;
  /** Milliseconds since the epoch. */
  clock: () => number;
  redis?: RedisConnection | undefined;
  metrics?: Metrics | undefined;
}

/** Parts of dynamic client registration that the server runs. */
export interface RegistrationParts {
  /** Routes of registration; empty if registration is disabled. */
  routes: readonly Middleware[];
  events: { attachTo(provider: Provider): void };
  /** Stores that expire, also while registration is disabled. */
  expiring: readonly ExpiringStore[];
}

const ONE_MINUTE_SECONDS = 60;

export function assembleRegistration(deps: RegistrationDeps): RegistrationParts {
  const { config, storage } = deps;
  return {
    routes: isRegistrationEnabled(config) ? [createRoutes(deps)] : [],
    events: createClientActivity({ ...deps, registrations: storage.registrations }),
    expiring: [storage.initialAccessTokens, createIdleClientExpiry(deps)],
  };
}

function createRoutes(deps: RegistrationDeps): Middleware {
  const { config, storage, clock } = deps;
  return createRegistrationRoutes({
    issuer: config.issuer,
    limiter: createRateLimiter({
      redis: deps.redis,
      keyPrefix: 'auth:registration:address',
      points: config.registrationRateLimitPerAddress,
      durationSeconds: ONE_MINUTE_SECONDS,
    }),
    registrations: createRegistrations({
      clients: assembleClients(deps),
      registrations: storage.registrations,
      initialTokens: storage.initialAccessTokens,
      secretKey: deps.derived.clientSecrets,
      clock,
      newId: uuidv7,
      grantTypes: config.registrationGrantTypes,
      isOpen: config.isConformanceProfile,
      onEvent: createRegistrationAudit(deps.audit),
    }),
  });
}

function createIdleClientExpiry(deps: RegistrationDeps): ExpiringStore {
  const removed = deps.metrics?.counter('auth_idle_clients_removed_total', 'Unused clients removed', []);
  const record = createRegistrationAudit(deps.audit);
  return expireIdleClients({
    registrations: deps.storage.registrations,
    clients: assembleClients(deps),
    idleDays: deps.config.registrationIdleDays,
    async onRemoved(event) {
      removed?.inc();
      await record(event);
    },
  });
}

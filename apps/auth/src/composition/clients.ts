import { createRateLimiter } from '@keydesk/rate-limit';
import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import { v7 as uuidv7 } from 'uuid';
import type { ExpiringStore } from '../artifacts/purge.ts';
import { createRegistrationAudit } from '../audit/recorders.ts';
import { type Clients, type ClientsOptions, createClients } from '../clients/clients.ts';
import { createClientActivity } from '../clients/registration/client-activity.ts';
import { expireIdleClients } from '../clients/registration/idle-clients.ts';
import { createRegistrationRoutes } from '../clients/registration/registration-routes.ts';
import { createRegistrations } from '../clients/registration/registrations.ts';
import type { DerivedKeys } from '../keys/derived-keys.ts';
import { isRegistrationEnabled } from '../provider/conformance-profile.ts';
import type { Storage } from '../storage/storage.ts';
import { createMachineStatuses } from '../token-status/machine-statuses.ts';
import { statusIndexesOf } from '../token-status/status-indexes.ts';
import type { SharedDeps } from './shared-deps.ts';

export interface ClientsDeps {
  storage: Pick<Storage, 'clients' | 'artifacts' | 'tokenStatuses'>;
  derived: Pick<DerivedKeys, 'clientSecrets'>;
  now: () => Date;
  requireAccess?: ClientsOptions['requireAccess'];
}

/** Assembles the client use cases on a storage. */
export function assembleClients({ storage, derived, now, requireAccess }: ClientsDeps): Clients {
  const { clients, artifacts, tokenStatuses } = storage;
  return createClients({
    store: clients,
    secretKey: derived.clientSecrets,
    revokeClient: artifacts.revokeClient,
    addMachineStatus: createMachineStatuses({ artifacts, allocate: statusIndexesOf(tokenStatuses), now }),
    now,
    newId: uuidv7,
    requireAccess,
  });
}

/** Parts of dynamic client registration that the server runs. */
export interface RegistrationArea {
  /** `undefined` if registration is disabled. */
  routes: Middleware | undefined;
  events: { attachTo(provider: Provider): void };
  /** Stores that expire, even while registration is disabled. */
  expiring: readonly ExpiringStore[];
}

const ONE_MINUTE_SECONDS = 60;

/** Assembles dynamic client registration. */
export function createRegistration(deps: SharedDeps): RegistrationArea {
  const { config, storage, now, log } = deps;
  return {
    routes: isRegistrationEnabled(config) ? createRoutes(deps) : undefined,
    events: createClientActivity({ registrations: storage.registrations, now, log }),
    expiring: [storage.initialAccessTokens, createIdleClientExpiry(deps)],
  };
}

function createRoutes(deps: SharedDeps): Middleware {
  const { config, storage, derived, now } = deps;
  return createRegistrationRoutes({
    issuer: config.issuer,
    limiter: createRateLimiter({
      redis: deps.redis,
      keyPrefix: 'auth:registration:address',
      points: config.registrationRateLimitPerAddress,
      durationSeconds: ONE_MINUTE_SECONDS,
    }),
    registrations: createRegistrations({
      clients: assembleClients({ storage, derived, now }),
      registrations: storage.registrations,
      initialTokens: storage.initialAccessTokens,
      secretKey: derived.clientSecrets,
      now,
      newId: uuidv7,
      grantTypes: config.registrationGrantTypes,
      isOpen: config.isConformanceProfile,
      onEvent: createRegistrationAudit(deps.audit),
    }),
  });
}

function createIdleClientExpiry(deps: SharedDeps): ExpiringStore {
  const { config, storage, derived, now } = deps;
  const removed = deps.metrics?.counter('auth_idle_clients_removed_total', 'Unused clients removed', []);
  const record = createRegistrationAudit(deps.audit);
  return expireIdleClients({
    registrations: storage.registrations,
    clients: assembleClients({ storage, derived, now }),
    idleDays: config.registrationIdleDays,
    async onRemoved(event) {
      removed?.inc();
      await record(event);
    },
  });
}

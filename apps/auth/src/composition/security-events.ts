import { createRateLimiter } from '@keydesk/rate-limit';
import type { Middleware } from 'koa';
import { v7 as uuidv7 } from 'uuid';
import type { ExpiringStore } from '../artifacts/purge.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { ClientAuthentication } from '../provider/clients/client-authentication.ts';
import { createPollRoute } from '../security-events/poll-route.ts';
import { createPolling, type Polling } from '../security-events/polling.ts';
import { createSecurityEventSigner } from '../security-events/security-event-token.ts';
import { createSecurityEvents, type SecurityEvents } from '../security-events/security-events.ts';
import { MAX_TOKEN_LIFETIME_MS } from '../token-status/revoked-statuses.ts';
import type { SharedDeps } from './shared-deps.ts';

type WriteSideDeps = Pick<SharedDeps, 'storage' | 'now'> & {
  config: Pick<SharedDeps['config'], 'securityEventRetentionDays'>;
};

const WINDOW_SECONDS = 60;

/** Creates the write side of the security events. */
function assembleSecurityEvents({ config, storage, now }: WriteSideDeps): SecurityEvents {
  return createSecurityEvents({
    store: storage.securityEvents,
    clients: storage.clients,
    now,
    newId: uuidv7,
    retentionDays: config.securityEventRetentionDays,
  });
}

/**
 * Creates the announcement of a deleted account. A resource server that accepts an access token of the account after
 * it has erased the person would store them again, so the event waits until the last token has expired.
 */
export function createPurgeAnnouncement(deps: WriteSideDeps): (accountId: string) => Promise<void> {
  const events = assembleSecurityEvents(deps);
  return (accountId) =>
    events.send({
      type: 'account-purged',
      accountId,
      availableAt: new Date(deps.now().getTime() + MAX_TOKEN_LIFETIME_MS),
    });
}

/** Makes the queue a store for the purge job. An event that expires was not acknowledged, which is logged. */
export function expireSecurityEvents({ storage, log }: Pick<SharedDeps, 'storage' | 'log'>): ExpiringStore {
  return {
    async purgeExpired(now, limit) {
      const count = await storage.securityEvents.purgeExpired(now, limit);
      if (count > 0) log.error({ count }, 'security events expired without acknowledgement');
      return count;
    },
  };
}

/** Creates the delivery of security events to resource servers. */
export function assemblePolling(shared: SharedDeps, ring: Pick<KeyRing, 'keys'>): Polling {
  const { config, storage, audit, log, now, metrics } = shared;
  const outcomes = metrics?.counter(
    'auth_security_events_total',
    'Security events that a resource server has acknowledged or rejected',
    ['outcome'],
  );
  return createPolling({
    store: storage.securityEvents,
    sign: createSecurityEventSigner({ issuer: config.issuer, keys: ring.keys, now }),
    audit,
    log,
    now,
    onOutcome: (outcome) => outcomes?.inc({ outcome }),
  });
}

export function createPollEndpoint(
  { config, storage, audit, now, redis }: SharedDeps,
  { polling, authentication }: { polling: Polling; authentication: ClientAuthentication },
): Middleware {
  return createPollRoute({
    polling,
    findClient: storage.clients.find,
    hasSecret: authentication.hasSecret,
    limiter: createRateLimiter({
      redis,
      keyPrefix: 'auth:poll:stranger',
      points: config.tokenRateLimitPerAddress,
      durationSeconds: WINDOW_SECONDS,
    }),
    audit,
    now,
  });
}

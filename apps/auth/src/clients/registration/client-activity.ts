import { LRUCache } from 'lru-cache';
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Logger } from 'pino';
import type { RegistrationStore } from './registration-store.ts';

export interface ClientActivityOptions {
  registrations: Pick<RegistrationStore, 'recordActivity'>;
  now: () => Date;
  log: Logger;
}

/** One write per hour and client is enough, because idle time is counted in days. */
const INTERVAL_MS = 3_600_000;
const MAX_CACHED_CLIENTS = 10_000;

/** Records when registered clients get tokens, without delaying the response. */
export function createClientActivity({ registrations, now, log }: ClientActivityOptions) {
  const recorded = new LRUCache<string, number>({ max: MAX_CACHED_CLIENTS });

  function recordActivity({ oidc }: KoaContextWithOIDC): void {
    const clientId = oidc.client?.clientId;
    const at = now().getTime();
    if (clientId === undefined || at - (recorded.get(clientId) ?? 0) < INTERVAL_MS) return;
    recorded.set(clientId, at);
    registrations.recordActivity(clientId, new Date(at)).catch((err) => {
      recorded.delete(clientId);
      log.warn({ err, client_id: clientId }, 'client activity could not be recorded');
    });
  }

  return {
    attachTo(provider: Provider): void {
      provider.on('grant.success', recordActivity);
    },
  };
}

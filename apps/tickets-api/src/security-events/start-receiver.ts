import { createSecurityEventVerifier, type Jwks } from '@keydesk/access-token';
import { type Metrics, type RepeatingTask, runWithLease } from '@keydesk/server';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { Config } from '../config.ts';
import { eraseAccount } from '../helpdesk/erasure/erase-person.ts';
import type { Storage } from '../helpdesk/storage.ts';
import { type EventHandler, type ReceiverOptions, startSecurityEventReceiver } from './receiver.ts';

export interface ReceiverDeps {
  config: Pick<
    Config,
    'issuer' | 'securityEventsUrl' | 'securityEventsClientId' | 'securityEventsClientSecret'
  >;
  storage: Storage;
  jwks: Jwks;
  log: Logger;
  metrics?: Metrics | undefined;
  /** Pause in milliseconds after the first failure. */
  retryMs?: number | undefined;
}

/** OpenID RISC Profile 1.0 §2.2 */
const ACCOUNT_PURGED = 'https://schemas.openid.net/secevent/risc/event-type/account-purged';

/** Starts to receive events of the issuer in one of all processes, if a client for that is configured. */
export function startReceiver(deps: ReceiverDeps): RepeatingTask | undefined {
  const { config, storage, jwks, log, metrics, retryMs } = deps;
  const { issuer, securityEventsClientId: clientId, securityEventsClientSecret: clientSecret } = config;
  if (clientId === undefined || clientSecret === undefined) return undefined;
  const outcomes = metrics?.counter(
    'api_security_events_total',
    'Security events processed, ignored or rejected, and deliveries that failed',
    ['outcome'],
  );
  // Prometheus sees the first rejection only if its counter began at 0.
  outcomes?.inc({ outcome: 'rejected' }, 0);
  const options: ReceiverOptions = {
    transmitter: { url: config.securityEventsUrl ?? toDefaultUrl(issuer), clientId, clientSecret },
    verifier: createSecurityEventVerifier({ issuer, audience: clientId, jwks }),
    issuer,
    handlers: { [ACCOUNT_PURGED]: createErasureOfAccounts(deps) },
    log,
    onOutcome: (outcome) => outcomes?.inc({ outcome }),
    retryMs,
  };
  const lease = {
    store: storage.leases,
    name: 'security-events',
    holder: uuidv7(),
    now: () => new Date(),
    log,
  };
  return runWithLease(lease, () => startSecurityEventReceiver(options));
}

function createErasureOfAccounts({ storage, log }: ReceiverDeps): EventHandler {
  const deps = { storage, now: () => new Date(), newId: uuidv7 };
  return async function eraseOwner(subject) {
    const { outcome, personId, tickets } = await eraseAccount(deps, subject);
    log.info({ subject: subject.subject, person: personId, outcome, tickets }, 'an account was deleted');
  };
}

function toDefaultUrl(issuer: string): string {
  return new URL('security-events', `${issuer.replace(/\/$/, '')}/`).href;
}

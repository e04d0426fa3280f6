import type { AccountEvent, AccountEventType } from '../accounts/account/account-event.ts';
import type { RegistrationEvent } from '../clients/registration/registrations.ts';
import type { KeyChange } from '../keys/key-ring.ts';
import type { Audit } from './audit.ts';
import type { AuditEvent } from './audit-event.ts';

/** Events that callers can cause with an e-mail address alone, without authentication as its owner. */
const unauthenticatedTypes: readonly AccountEventType[] = [
  'account.sign_in_failed',
  'account.sign_in_limited',
  'account.second_factor_requested',
  'account.second_factor_failed',
  'account.second_factor_limited',
  'account.sign_up_repeated',
  'account.password_reset_requested',
];

/** Converts an account event to an audit event: `onEvent: (event) => audit.record(toAuditEvent(event))`. */
export function toAuditEvent({ type, at, accountId, origin, details }: AccountEvent): AuditEvent {
  const { address, requestId = null, clientId = null } = origin;
  const actor = origin.actor ?? (unauthenticatedTypes.includes(type) ? null : accountId);
  return { type, at, actor, accountId, clientId, address, requestId, details };
}

interface KeyAuditOptions {
  audit: Pick<Audit, 'record'>;
  now: () => Date;
}

/** Creates a listener that records changes of the signing keys. */
export function createKeyAudit({ audit, now }: KeyAuditOptions): (change: KeyChange) => Promise<void> {
  const noParties = { actor: null, accountId: null, clientId: null, address: null, requestId: null };

  return (change) => {
    const listed = Object.entries(change).filter(([, kids]) => kids.length > 0);
    const details = Object.fromEntries(listed.map(([what, kids]) => [what, kids.join(' ')]));
    return audit.record({ ...noParties, type: 'keys.changed', at: now(), details });
  };
}

/** Writes registrations to the audit log, without the client's name, which is untrusted text. */
export function createRegistrationAudit(audit: Pick<Audit, 'record'>) {
  return ({ type, at, client, by, origin }: RegistrationEvent): Promise<void> =>
    audit.record({
      type,
      at,
      actor: by,
      accountId: null,
      clientId: client.id,
      address: origin?.address ?? null,
      requestId: origin?.requestId ?? null,
      details: { type: client.type, scope: client.scopes.join(' ') },
    });
}

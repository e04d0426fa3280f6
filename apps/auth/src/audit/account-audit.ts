import type { AccountEvent, AccountEventType } from '../accounts/account-event.ts';
import type { AuditEvent } from './audit-event.ts';

/** Events that callers can cause with an e-mail address alone, without authentication as its owner. */
const unauthenticatedTypes: readonly AccountEventType[] = [
  'account.sign_in_failed',
  'account.sign_in_limited',
  'account.sign_up_repeated',
  'account.password_reset_requested',
];

/** Converts an account event to an audit event: `onEvent: (event) => audit.record(toAuditEvent(event))`. */
export function toAuditEvent({ type, at, accountId, origin, details }: AccountEvent): AuditEvent {
  const { address, requestId = null, clientId = null } = origin;
  const actor = origin.actor ?? (unauthenticatedTypes.includes(type) ? null : accountId);
  return { type, at, actor, accountId, clientId, address, requestId, details };
}

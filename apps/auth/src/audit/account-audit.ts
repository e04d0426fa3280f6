import type { AccountEvent } from '../accounts/account-event.ts';
import type { AuditEvent } from './audit-event.ts';

/** What happened to an account as the audit record has it: `onEvent: (event) => audit.record(toAuditEvent(event))`. */
export function toAuditEvent({ type, at, accountId, origin, details }: AccountEvent): AuditEvent {
  const { address, requestId = null, clientId = null, actor = accountId } = origin;
  return { type, at, actor, accountId, clientId, address, requestId, details };
}

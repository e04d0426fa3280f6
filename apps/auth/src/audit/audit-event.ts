/** Types of audit events. Published names never change, because stored records are found by this list. */
export const auditEventTypes = [
  'account.added',
  'account.signed_up',
  'account.sign_up_repeated',
  'account.email_verified',
  'account.signed_in',
  'account.sign_in_failed',
  'account.sign_in_limited',
  'account.sign_in_disowned',
  'account.confirmation_failed',
  'account.second_factor_requested',
  'account.second_factor_failed',
  'account.second_factor_limited',
  'account.recovery_code_used',
  'account.recovery_codes_replaced',
  'account.recovery_codes_removed',
  'account.totp_added',
  'account.totp_removed',
  'account.device_trusted',
  'account.device_distrusted',
  'account.factors_reset',
  'account.password_changed',
  'account.password_removed',
  'account.password_reset_requested',
  'account.password_reset',
  'account.email_change_requested',
  'account.email_changed',
  'account.email_restored',
  'account.profile_changed',
  'account.role_changed',
  'account.passkey_added',
  'account.passkey_renamed',
  'account.passkey_removed',
  'account.identity_linked',
  'account.identity_unlinked',
  'account.reclaimed',
  'account.disabled',
  'account.enabled',
  'account.data_exported',
  'account.deletion_requested',
  'account.deletion_cancelled',
  'account.removed',
  'account.signed_out',
  'account.signed_out_everywhere',
  'audit.pruned',
  'client.added',
  'client.registered',
  'client.idle_removed',
  'client.changed',
  'client.logo_set',
  'client.logo_removed',
  'client.secret_rotated',
  'client.secret_added',
  'client.secret_removed',
  'client.role_changed',
  'client.trust_requested',
  'client.trust_withdrawn',
  'client.trust_approved',
  'client.trust_rejected',
  'client.invitation_sent',
  'client.invitation_accepted',
  'client.invitation_declined',
  'client.invitation_withdrawn',
  'client.co_owner_added',
  'client.co_owner_removed',
  'client.co_owner_left',
  'client.owner_changed',
  'client.verified',
  'client.unverified',
  'client.disabled',
  'client.enabled',
  'client.removed',
  'client.authentication_failed',
  'client.logout_token_sent',
  'client.logout_token_failed',
  'consent.given',
  'consent.denied',
  'grant.revoked',
  'keys.changed',
  'keys.discarded',
  'keys.removed',
  'keys.rotated',
  'registration_token.added',
  'registration_token.revoked',
  'security_event.acknowledged',
  'security_event.rejected',
  'security_event.retried',
  'session.ended',
  'token.issued',
  'token.refused',
  'token.reused',
  'token.revoked',
] as const;

export type AuditEventType = (typeof auditEventTypes)[number];

/** Types whose details contain e-mail addresses. */
export const typesWithEmailAddresses = [
  'account.email_change_requested',
  'account.email_changed',
  'account.email_restored',
] as const satisfies readonly AuditEventType[];

/** A security event, without secrets. */
export interface AuditEvent {
  type: AuditEventType;
  at: Date;
  /** Id of the account or client that acted, or `operator`; `null` if not authenticated. */
  actor: string | null;
  /** The affected account; `null` if no existing account is affected. */
  accountId: string | null;
  /** The client (RFC 6749 §2) that was affected or involved. */
  clientId: string | null;
  /** IP address of the caller, `cli`, or `server` for a due deletion; `null` for other actions of the server itself. */
  address: string | null;
  requestId: string | null;
  /** Reasons and values in stable words. Never untrusted input, which may be a secret in the wrong field. */
  details: Readonly<Record<string, string>>;
}

/** An event as stored. */
export interface AuditRecord extends AuditEvent {
  /** UUIDv7 of `at`, so that the order of ids is the order of time. */
  id: string;
}

/** Returns the types with a prefix, such as `token.` or `account.signed_in`. */
export function typesWithPrefix(prefix: string): readonly AuditEventType[] {
  return auditEventTypes.filter((type) => type.startsWith(prefix));
}

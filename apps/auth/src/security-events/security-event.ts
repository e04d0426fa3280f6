/** URIs of the events that receivers get (RFC 8417 §2.2), by the name in the store and the log. */
export const securityEventUris = {
  /** The account is permanently deleted (OpenID RISC Profile 1.0 §2.2). */
  'account-purged': 'https://schemas.openid.net/secevent/risc/event-type/account-purged',
} as const;

export type SecurityEventType = keyof typeof securityEventUris;

/** Error codes by which receivers reject an event (RFC 8935 §2.4). */
export const rejectionCodes = [
  'invalid_request',
  'invalid_key',
  'invalid_issuer',
  'invalid_audience',
  'authentication_failed',
  'access_denied',
] as const;

/** `other`: a code outside of the list, which is untrusted text. */
export type RejectionCode = (typeof rejectionCodes)[number] | 'other';

/** An event about an account that waits for one receiver. Each receiver has an event of its own. */
export interface SecurityEvent {
  /** UUIDv7; the `jti` of the security event token. */
  id: string;
  /** The `client_id` of the receiver. */
  receiver: string;
  type: SecurityEventType;
  accountId: string;
  occurredAt: Date;
  /** Instant of the first delivery. */
  availableAt: Date;
  /** From this instant on the event is no longer delivered, even before the purge. */
  expiresAt: Date;
  /** `null` unless the receiver rejected the event, which is then not delivered again. */
  rejection: RejectionCode | null;
}

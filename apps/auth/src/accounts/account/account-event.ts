/** Types of account events, as recorded in the audit log. */
export type AccountEventType =
  | 'account.added'
  | 'account.signed_up'
  | 'account.sign_up_repeated'
  | 'account.email_verified'
  | 'account.signed_in'
  | 'account.sign_in_failed'
  | 'account.sign_in_limited'
  | 'account.sign_in_disowned'
  | 'account.confirmation_failed'
  | 'account.second_factor_requested'
  | 'account.second_factor_failed'
  | 'account.second_factor_limited'
  | 'account.recovery_code_used'
  | 'account.recovery_codes_replaced'
  | 'account.recovery_codes_removed'
  | 'account.totp_added'
  | 'account.totp_removed'
  | 'account.device_trusted'
  | 'account.device_distrusted'
  | 'account.factors_reset'
  | 'account.password_changed'
  | 'account.password_removed'
  | 'account.password_reset_requested'
  | 'account.password_reset'
  | 'account.email_change_requested'
  | 'account.email_changed'
  | 'account.email_restored'
  | 'account.profile_changed'
  | 'account.role_changed'
  | 'account.passkey_added'
  | 'account.passkey_renamed'
  | 'account.passkey_removed'
  | 'account.signed_out_everywhere'
  | 'account.identity_linked'
  | 'account.identity_unlinked'
  | 'account.reclaimed'
  | 'account.disabled'
  | 'account.enabled'
  | 'account.data_exported'
  | 'account.deletion_requested'
  | 'account.deletion_cancelled'
  | 'account.removed'
  | 'session.ended';

/** Source of a call, as recorded in the audit log. */
export interface Origin {
  /** Address of the client, or a word such as `cli`. */
  address: string;
  requestId?: string | undefined;
  /** The client (RFC 6749 §2) whose authorization request the user was answering. */
  clientId?: string | undefined;
  /** The actor, if it is not the owner of the account: the id of an administrator's account, or `operator`. */
  actor?: string | undefined;
}

/** Event of one account. Contains no secrets. */
export interface AccountEvent {
  type: AccountEventType;
  at: Date;
  /** `null` if no such account exists. */
  accountId: string | null;
  origin: Origin;
  /** Details in stable keywords: `{ reason: 'wrong_password' }`, `{ from: 'customer', to: 'agent' }`. */
  details: Readonly<Record<string, string>>;
}

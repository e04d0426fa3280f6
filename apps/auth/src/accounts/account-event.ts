/** What can happen to an account, by the name it has in the audit record. */
export type AccountEventType =
  | 'account.added'
  | 'account.signed_up'
  | 'account.sign_up_repeated'
  | 'account.email_verified'
  | 'account.signed_in'
  | 'account.sign_in_failed'
  | 'account.sign_in_limited'
  | 'account.confirmation_failed'
  | 'account.password_changed'
  | 'account.password_reset_requested'
  | 'account.password_reset'
  | 'account.email_change_requested'
  | 'account.email_changed'
  | 'account.profile_changed'
  | 'account.role_changed'
  | 'account.signed_out_everywhere'
  | 'account.disabled'
  | 'account.enabled'
  | 'account.removed';

/** Where a call came from, as the audit record has it. */
export interface Origin {
  /** Address of the client, or a word such as `cli`. */
  address: string;
  requestId?: string | undefined;
  /** The client (RFC 6749 §2) that a person was on the way to. */
  clientId?: string | undefined;
  /** Who acts, when it is not the owner of the account: the id of an administrator's account, or `operator`. */
  actor?: string | undefined;
}

/** One thing that happened, without anything that would have to be kept secret. */
export interface AccountEvent {
  type: AccountEventType;
  at: Date;
  /** `null` when there is no such account. */
  accountId: string | null;
  origin: Origin;
  /** Why or what, in stable words: `{ reason: 'wrong_password' }`, `{ from: 'customer', to: 'agent' }`. */
  details: Readonly<Record<string, string>>;
}

import type { Role } from '../../values/scopes.ts';
import type { Profile } from './profile.ts';

export const accountStatuses = ['active', 'disabled', 'pending_deletion'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

/** User account. */
export interface Account {
  /** UUIDv7; the subject (`sub`) of OpenID Connect, never reassigned to another person. */
  id: string;
  /** Normalized by `parseEmail`; unique among all accounts. */
  email: string;
  /** Whether the owner of the account has proved control of the mailbox. */
  emailVerified: boolean;
  profile: Profile;
  phoneNumberVerified: boolean;
  /** PHC string; `null` if the account cannot sign in with a password. */
  passwordHash: string | null;
  role: Role;
  status: AccountStatus;
  createdAt: Date;
  updatedAt: Date;
  passwordChangedAt: Date | null;
  /** When the account is deleted, if its owner has asked for that; `null` unless the status is `pending_deletion`. */
  deletionDueAt: Date | null;
  /** When all sign-ins were last ended; `null`: never. */
  signInsEndedAt: Date | null;
  /**
   * Incremented, from 0, by every change that ends all sign-ins. A sign-in is valid only at the epoch at which it was
   * made.
   */
  credentialEpoch: number;
  /** Incremented by every change, from 1. */
  version: number;
}

type NewAccount = Pick<Account, 'id' | 'email' | 'emailVerified' | 'profile' | 'passwordHash' | 'role'>;

export function createAccount(account: NewAccount, now: Date): Account {
  return {
    ...account,
    phoneNumberVerified: false,
    status: 'active',
    createdAt: now,
    updatedAt: now,
    passwordChangedAt: account.passwordHash === null ? null : now,
    deletionDueAt: null,
    signInsEndedAt: null,
    credentialEpoch: 0,
    version: 1,
  };
}

/** Members of an account that can change. */
export type AccountChanges = Partial<Omit<Account, 'id' | 'createdAt' | 'updatedAt' | 'version'>>;

/** Returns the next version of an account. A changed phone number is unverified. */
export function updateAccount(account: Account, changes: AccountChanges, now: Date): Account {
  const next = { ...account, ...changes, updatedAt: now, version: account.version + 1 };
  const keepsNumber = next.profile.phone_number === account.profile.phone_number;
  return { ...next, phoneNumberVerified: keepsNumber && next.phoneNumberVerified };
}

/** Claims that each scope requests (OpenID Connect Core §5.4). */
export const claimsByScope = {
  profile: [
    'name',
    'family_name',
    'given_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
    'website',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'updated_at',
  ],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
} as const;

export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** Returns the scopes that cover these claims. The consent page shows them if a request names claims individually. */
export function scopesOfClaims(names: readonly string[]): readonly string[] {
  const scopes = Object.entries(claimsByScope).filter(([, claims]) =>
    claims.some((each) => names.includes(each)),
  );
  return scopes.map(([scope]) => scope);
}

/**
 * Returns every standard claim about an account (OpenID Connect Core §5.1), omitting those without a value (§5.3.2).
 * oidc-provider filters them by the scopes and claims that were requested and granted.
 */
export function toClaims(account: Account): Claims {
  const { id, email, emailVerified, profile, phoneNumberVerified, updatedAt } = account;
  return {
    ...profile,
    sub: id,
    email,
    email_verified: emailVerified,
    ...(profile.phone_number !== undefined && { phone_number_verified: phoneNumberVerified }),
    updated_at: Math.floor(updatedAt.getTime() / 1_000),
  };
}

/** Claims about the user in every access token (RFC 9068 §2.2.3), whatever the scopes. */
export interface AccessTokenClaims {
  readonly role: Role;
  readonly name?: string;
  readonly email?: string;
  readonly email_verified?: true;
}

/**
 * Returns the claims of access tokens, with the address only if it is verified. The API finds a customer's tickets by
 * address, so an unverified address must never give access to another person's tickets.
 */
export function toAccessTokenClaims({ role, email, emailVerified, profile }: Account): AccessTokenClaims {
  return {
    role,
    ...(profile.name !== undefined && { name: profile.name }),
    ...(emailVerified && { email, email_verified: true }),
  };
}

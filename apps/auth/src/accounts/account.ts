import type { Role } from '../clients/client.ts';
import type { Profile } from './profile.ts';

export const accountStatuses = ['active', 'disabled'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

/** A person who can sign in. */
export interface Account {
  /** UUIDv7; the subject (`sub`) of OpenID Connect, never used again for another person. */
  id: string;
  /** As `parseEmail` gives it; unique among all accounts. */
  email: string;
  /** Whether the owner of the account has shown that the mailbox is theirs. */
  emailVerified: boolean;
  profile: Profile;
  phoneNumberVerified: boolean;
  /** In PHC string format; `null` for one that cannot sign in by password. */
  passwordHash: string | null;
  role: Role;
  status: AccountStatus;
  createdAt: Date;
  updatedAt: Date;
  passwordChangedAt: Date | null;
  /** Counts from 0 what ended every sign-in: a sign-in is valid only at the epoch that it was made at. */
  credentialEpoch: number;
  /** Counts its changes from 1. */
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
    credentialEpoch: 0,
    version: 1,
  };
}

/** What may become different about an account. */
export type AccountChanges = Partial<Omit<Account, 'id' | 'createdAt' | 'updatedAt' | 'version'>>;

/** The next version of an account. A phone number that changes has yet to be verified. */
export function revise(account: Account, changes: AccountChanges, now: Date): Account {
  const next = { ...account, ...changes, updatedAt: now, version: account.version + 1 };
  const keepsNumber = next.profile.phone_number === account.profile.phone_number;
  return { ...next, phoneNumberVerified: keepsNumber && next.phoneNumberVerified };
}

/** Which claims each scope asks for (OpenID Connect Core §5.4). */
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

/** The scopes that would ask for these claims: what people are told when a request names claims one by one. */
export function scopesOfClaims(names: readonly string[]): readonly string[] {
  const scopes = Object.entries(claimsByScope).filter(([, claims]) =>
    claims.some((each) => names.includes(each)),
  );
  return scopes.map(([scope]) => scope);
}

/**
 * Every standard claim about an account (OpenID Connect Core §5.1); what is not known is left out (§5.3.2). The library
 * gives a client of these what was asked for, by scopes or one by one, and allowed.
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

/** What the API is told of a person in each access token (RFC 9068 §2.2.3), whatever the scopes. */
export interface AccessTokenClaims {
  readonly role: Role;
  readonly name?: string;
  readonly email?: string;
  readonly email_verified?: true;
}

/**
 * The API finds the tickets of a person by their address, so the token has it only when it is shown to be theirs: an
 * address that somebody merely claims must never open another's tickets.
 */
export function toAccessTokenClaims({ role, email, emailVerified, profile }: Account): AccessTokenClaims {
  return {
    role,
    ...(profile.name !== undefined && { name: profile.name }),
    ...(emailVerified && { email, email_verified: true }),
  };
}

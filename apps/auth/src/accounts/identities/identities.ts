/** Identities at other providers with which a user signs in to an account. */
export interface Identities {
  accountId: string;
  identities: readonly Identity[];
  /** Incremented by every change, from 1; 0 if nothing is stored. */
  version: number;
}

/** User of another provider, identified by issuer and subject (OpenID Connect Core §5.7). */
export interface Identity {
  /** UUIDv7. */
  id: string;
  /** The configured provider that last authenticated the user. */
  providerId: string;
  issuer: string;
  /** Never reassigned within the issuer (§8); unlike an address, which is an attribute. */
  subject: string;
  /** Address or name at the provider, as of the last sign-in; `null` if the provider states none. */
  label: string | null;
  linkedAt: Date;
  lastUsedAt: Date | null;
}

/** Returns the identities of an account that has none. */
export function createIdentities(accountId: string): Identities {
  return { accountId, identities: [], version: 0 };
}

/** Whether two identities are the same user of the same provider. */
export function isSameIdentity(
  a: Pick<Identity, 'issuer' | 'subject'>,
  b: Pick<Identity, 'issuer' | 'subject'>,
): boolean {
  return a.issuer === b.issuer && a.subject === b.subject;
}

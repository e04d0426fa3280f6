/** Second factors and passkeys of an account. */
export interface Factors {
  accountId: string;
  totp: Totp | null;
  recoveryCodes: readonly RecoveryCode[];
  passkeys: readonly Passkey[];
  trustedDevices: readonly TrustedDevice[];
  /** First sign-in at which a required second factor was missing; the grace period is counted from it. */
  graceStartedAt: Date | null;
  /** Incremented by every change, from 1; 0 if nothing is stored. */
  version: number;
}

/** Authenticator app (RFC 6238). */
export interface Totp {
  /** Shared secret, sealed, base64url. */
  sealedSecret: string;
  /** Last time step of which a code was accepted (RFC 6238 §5.2); no earlier or equal one is accepted. */
  lastStep: number;
  createdAt: Date;
}

/** Code that replaces the authenticator app once. */
export interface RecoveryCode {
  /** SHA-256, base64url. */
  digest: string;
  /** Absent in codes of version 0.9. */
  createdAt?: Date;
  usedAt: Date | null;
}

/** Credential of WebAuthn Level 3 (§4, credential record). */
export interface Passkey {
  /** Credential id, base64url; unique among all accounts (§7.1). */
  id: string;
  /** COSE_Key, base64url. */
  publicKey: string;
  /** Signature counter (§6.1.1); 0 if the authenticator does not count. */
  counter: number;
  transports: readonly string[];
  /** Whether it can be synchronized between devices (`BE` flag, §6.1.3). */
  isSyncable: boolean;
  /** Whether it is synchronized (`BS` flag, §6.1.3). */
  isSynced: boolean;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** Browser that is not asked for the second factor. */
export interface TrustedDevice {
  id: string;
  /** SHA-256 of the secret in its cookie, base64url. */
  digest: string;
  /** Browser and operating system. */
  description: string;
  /** The account's credential epoch at that time; a device of an earlier epoch is not trusted. */
  credentialEpoch: number;
  createdAt: Date;
  expiresAt: Date;
}

/** Returns the factors of an account that has none. */
export function createFactors(accountId: string): Factors {
  return {
    accountId,
    totp: null,
    recoveryCodes: [],
    passkeys: [],
    trustedDevices: [],
    graceStartedAt: null,
    version: 0,
  };
}

/** Members of factors that can change. */
export type FactorChanges = Partial<Omit<Factors, 'accountId' | 'version'>>;

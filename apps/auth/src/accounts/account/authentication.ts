import type { Account } from './account.ts';

/** Authentication method of Keydesk's own sign-in (RFC 8176 §2). */
export type AuthenticationMethod = 'pwd' | 'otp' | 'hwk' | 'swk' | 'user' | 'mfa';

/** Successful authentication of a user. */
export interface Authentication {
  /** Read after the credentials were checked: its credential epoch is that of the sign-in. */
  account: Account;
  /** The `amr` of ID tokens (OpenID Connect Core §2). */
  methods: readonly string[];
  /** The `auth_time`, in seconds since the epoch. */
  loginTs: number;
  /** Absent if the user signed in here. */
  upstream?: UpstreamSession | undefined;
}

/** Session at another provider that authenticated the user. */
export interface UpstreamSession {
  issuer: string;
  subject: string;
  /** The `sid` of its ID token (OpenID Connect Front-Channel Logout 1.0 §3). */
  sid?: string | undefined;
  /** When this server received the authentication, in milliseconds since the epoch. */
  receivedAt?: number | undefined;
}

/**
 * Authentication context classes (`acr`), weakest first: a password (SAML 2.0 Authentication Context §3.4.9), several
 * factors (OpenID PAPE 1.0 §4), and a method that resists phishing (OpenID EAP ACR Values 1.0 §2).
 */
export const acrValues = [
  'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
  'phr',
] as const;

export type Acr = (typeof acrValues)[number];

const [passwordClass, multiFactorClass, phishingResistantClass] = acrValues;

/** Returns the class of a sign-in by these methods; `undefined` if they establish none. */
export function toAcr(methods: readonly string[]): Acr | undefined {
  const has = (method: AuthenticationMethod) => methods.includes(method);
  if (has('user') && (has('hwk') || has('swk'))) return phishingResistantClass;
  if (has('mfa')) return multiFactorClass;
  return has('pwd') ? passwordClass : undefined;
}

/** Whether a sign-in of the class `acr` also is one of the `required` class; a stronger class includes the weaker. */
export function satisfiesAcr(acr: string | undefined, required: string): boolean {
  const [rank, requiredRank] = [toRank(acr), toRank(required)];
  return requiredRank >= 0 && rank >= requiredRank;
}

function toRank(acr: string | undefined): number {
  const ranked: readonly (string | undefined)[] = acrValues;
  return ranked.indexOf(acr);
}

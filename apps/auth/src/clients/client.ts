/** What developers register by themselves. */
export const applicationTypes = ['machine', 'web', 'spa', 'native'] as const;
export type ApplicationType = (typeof applicationTypes)[number];

/** The rest is registered by operators: devices without a browser, and APIs that only ask what a token is worth. */
export const clientTypes = [...applicationTypes, 'device', 'resource-server'] as const;
export type ClientType = (typeof clientTypes)[number];

export const roles = ['customer', 'agent', 'admin'] as const;
export type Role = (typeof roles)[number];

export const clientAuthMethods = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
] as const;
export type ClientAuthMethod = (typeof clientAuthMethods)[number];

/** One of a client's secrets. The secret itself is shown once, at its creation; only its digest is kept. */
export interface ClientSecret {
  id: string;
  /** HMAC-SHA-256 of the secret under the server's key, base64url. */
  digest: string;
  /** The last four characters, so that people can tell secrets apart. */
  hint: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
}

/** A client secret is rotated with overlap: the old one works on until it expires or is removed. */
export const MAX_SECRETS = 2;

/**
 * Algorithms that sign ID tokens and authorization responses. The first is the default (OpenID Connect Registration §2,
 * JARM §3).
 */
export const idTokenAlgorithms = ['RS256', 'PS256', 'ES256'] as const;
export type IdTokenAlgorithm = (typeof idTokenAlgorithms)[number];

export const clientProfiles = ['fapi2'] as const;
export type ClientProfile = (typeof clientProfiles)[number];

/** What a client is held to beyond what all are. */
export interface ClientSecurity {
  /** `fapi2`: everything that the FAPI 2.0 Security Profile asks for, whatever the other members say. */
  profile: ClientProfile | null;
  /** Each of its access tokens is bound to a key (RFC 9449 §5.2). */
  dpopBoundAccessTokens: boolean;
  /** Its authorization requests come from itself and not from a browser (RFC 9126 §6). */
  requirePushedAuthorizationRequests: boolean;
  /** Its authorization requests are signed (RFC 9101 §10.5). */
  requireSignedRequestObject: boolean;
  /** What its ID tokens are signed with; under `fapi2`, ES256 in place of RS256. */
  idTokenAlgorithm: IdTokenAlgorithm;
  /** Signs the authorization responses that it requests as JWTs; under `fapi2`, ES256 in place of RS256 (JARM §3). */
  authorizationResponseAlgorithm: IdTokenAlgorithm;
  /** Its authorization requests need a nonce where they have no code challenge (OAuth 2.1 §7.5.1). */
  isPkceOptional: boolean;
}

export type TrustRequestKind = 'role' | 'verification';

/** A developer's request for trust that only operators grant. */
export interface TrustRequest {
  id: string;
  kind: TrustRequestKind;
  /** Requested role; `null` for verification. */
  role: Role | null;
  /** The developer's reason, one line. */
  reason: string;
  status: 'pending' | 'approved' | 'rejected' | 'withdrawn';
  /** The operator's reason for a rejection. */
  decisionReason: string | null;
  createdAt: Date;
  closedAt: Date | null;
  /** Version of the client that closed the request. */
  closedInVersion: number | null;
}

/** The last request of each kind. */
export type TrustRequests = Readonly<Record<TrustRequestKind, TrustRequest | null>>;

export const noTrustRequests: TrustRequests = { role: null, verification: null };

/** An account that looks after an application beside its owner. */
export interface CoOwner {
  accountId: string;
  since: Date;
}

/** An invitation by mail to co-own an application. */
export interface Invitation {
  id: string;
  /** The address that it was mailed to; `null` once it was answered or withdrawn. */
  email: string | null;
  /** Digest of the token in the mail. */
  digest: string;
  /** Account of the owner or co-owner who sent it. */
  invitedBy: string;
  status: 'pending' | 'accepted' | 'declined' | 'withdrawn';
  createdAt: Date;
  /** From this instant on it cannot be answered. */
  expiresAt: Date;
  /** Version of the client that closed the invitation. */
  closedInVersion: number | null;
}

/** An OAuth client (RFC 6749 §2) as its owner knows it. */
export interface Client {
  /** The `client_id`. */
  id: string;
  name: string;
  /** Where people can read about it: an https URL. */
  homePage: string | null;
  /** What it does with people's data, and its terms of service: https URLs (OpenID Connect Registration §2). */
  policyUri: string | null;
  tosUri: string | null;
  /** Digest of its logo, which is stored beside it. */
  logoDigest: string | null;
  type: ClientType;
  /** Account that registered it, or that it was handed over to; `null` for one made by an operator. */
  owner: string | null;
  /** In the order in which they joined. */
  coOwners: readonly CoOwner[];
  /** Pending ones, and the last that ended; in the order in which they expire. */
  invitations: readonly Invitation[];
  /** Whether an administrator vouches for it: people are told so, their consent is remembered, it may ask for more. */
  isVerified: boolean;
  redirectUris: readonly string[];
  /** Where browsers may be sent after log-out (OpenID Connect RP-Initiated Logout §3.1). */
  postLogoutRedirectUris: readonly string[];
  /** Where the server tells it that somebody signed out (OpenID Connect Back-Channel Logout §2.2). */
  backchannelLogoutUri: string | null;
  /** Where a sign-in at the application can be started from outside of it (OpenID Connect Core §4). */
  initiateLoginUri: string | null;
  /** Scopes it may ask for. */
  scopes: readonly string[];
  grantTypes: readonly string[];
  authMethod: ClientAuthMethod;
  /** Public keys for `private_key_jwt` (RFC 7517). */
  jwks: { keys: readonly Readonly<Record<string, unknown>>[] } | null;
  security: ClientSecurity;
  /** What a machine client may do in the API; `null`, the default, is nothing. Set by an administrator. */
  role: Role | null;
  trustRequests: TrustRequests;
  secrets: readonly ClientSecret[];
  status: 'active' | 'disabled';
  createdAt: Date;
  updatedAt: Date;
  /** Counts its changes from 1. */
  version: number;
}

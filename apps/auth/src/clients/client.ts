import type { Role } from '../values/scopes.ts';
/** Client types that developers can register themselves. */
export const applicationTypes = ['machine', 'web', 'spa', 'native'] as const;
export type ApplicationType = (typeof applicationTypes)[number];

/** All client types. Only operators register devices without a browser and APIs that only introspect tokens. */
export const clientTypes = [...applicationTypes, 'device', 'resource-server'] as const;
export type ClientType = (typeof clientTypes)[number];

export const clientAuthMethods = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
] as const;
export type ClientAuthMethod = (typeof clientAuthMethods)[number];

/** One of a client's secrets. The secret itself is shown once, when it is created; only its digest is stored. */
export interface ClientSecret {
  id: string;
  /** HMAC-SHA-256 of the secret under the server's key, base64url. */
  digest: string;
  /** The last four characters, so that users can distinguish secrets. */
  hint: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
}

/** Secrets that a client can have during a rotation: the old one works until it expires or is removed. */
export const MAX_SECRETS = 2;

/**
 * Algorithms of ID tokens and signed authorization responses. The first is the default (OpenID Connect Registration
 * §2, JARM §3).
 */
export const idTokenAlgorithms = ['RS256', 'PS256', 'ES256'] as const;
export type IdTokenAlgorithm = (typeof idTokenAlgorithms)[number];

export const clientProfiles = ['fapi2'] as const;
export type ClientProfile = (typeof clientProfiles)[number];

/** Security requirements of one client beyond those of all clients. */
export interface ClientSecurity {
  /** `fapi2`: all requirements of the FAPI 2.0 Security Profile, regardless of the other members. */
  profile: ClientProfile | null;
  /** Each of its access tokens is bound to a key (RFC 9449 §5.2). */
  dpopBoundAccessTokens: boolean;
  /** It has to push its authorization requests (RFC 9126 §6). */
  requirePushedAuthorizationRequests: boolean;
  /** It has to sign its authorization requests (RFC 9101 §10.5). */
  requireSignedRequestObject: boolean;
  /** Algorithm of its ID tokens; under `fapi2`, ES256 replaces RS256. */
  idTokenAlgorithm: IdTokenAlgorithm;
  /** Algorithm of its signed authorization responses (JARM §3); under `fapi2`, ES256 replaces RS256. */
  authorizationResponseAlgorithm: IdTokenAlgorithm;
  /** Its authorization requests may have a nonce instead of a code challenge (OAuth 2.1 §7.5.1). */
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

/** An account that manages an application together with its owner. */
export interface CoOwner {
  accountId: string;
  since: Date;
}

/** An invitation by mail to co-own an application. */
export interface Invitation {
  id: string;
  /** The address that it was mailed to; `null` once it is answered or withdrawn. */
  email: string | null;
  /** Digest of the token in the mail. */
  digest: string;
  /** Account of the owner or co-owner who sent it. */
  invitedBy: string;
  status: 'pending' | 'accepted' | 'declined' | 'withdrawn';
  createdAt: Date;
  /** Instant from which it can't be answered. */
  expiresAt: Date;
  /** Version of the client that closed the invitation. */
  closedInVersion: number | null;
}

/** An OAuth client (RFC 6749 §2). */
export interface Client {
  /** The `client_id`. */
  id: string;
  name: string;
  /** Page with information for users: an https URL. */
  homePage: string | null;
  /** Privacy policy; an https URL like the terms of service in `tosUri` (OpenID Connect Registration §2). */
  policyUri: string | null;
  tosUri: string | null;
  /** Digest of its logo, which is stored separately. */
  logoDigest: string | null;
  type: ClientType;
  /** Account that registered it or took it over; `null` if an operator registered it. */
  owner: string | null;
  /** Co-owners in the order in which they joined. */
  coOwners: readonly CoOwner[];
  /** Pending invitations and the last ones that ended, in order of expiry. */
  invitations: readonly Invitation[];
  /** Whether an administrator verified it. Consent pages show this, consent is remembered, and more scopes are allowed. */
  isVerified: boolean;
  redirectUris: readonly string[];
  /** URIs to which browsers may be redirected after log-out (OpenID Connect RP-Initiated Logout §3.1). */
  postLogoutRedirectUris: readonly string[];
  /** Receives a log-out token when a user signs out (OpenID Connect Back-Channel Logout §2.2). */
  backchannelLogoutUri: string | null;
  /** URI at which third parties can initiate a login at the application (OpenID Connect Core §4). */
  initiateLoginUri: string | null;
  /** Scopes that it may request. */
  scopes: readonly string[];
  grantTypes: readonly string[];
  authMethod: ClientAuthMethod;
  /** Public keys for `private_key_jwt` (RFC 7517). */
  jwks: { keys: readonly Readonly<Record<string, unknown>>[] } | null;
  security: ClientSecurity;
  /** Role of a machine client in the API, set by an administrator; `null`, the default, gives no access. */
  role: Role | null;
  trustRequests: TrustRequests;
  secrets: readonly ClientSecret[];
  status: 'active' | 'disabled';
  createdAt: Date;
  updatedAt: Date;
  /** Counts its changes from 1. */
  version: number;
}

export const clientTypes = ['machine', 'web', 'spa', 'native'] as const;
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

/** An OAuth client (RFC 6749 §2) as its owner knows it. */
export interface Client {
  /** The `client_id`. */
  id: string;
  name: string;
  type: ClientType;
  /** Account that registered it; `null` for one made by an operator. */
  owner: string | null;
  redirectUris: readonly string[];
  /** Where browsers may be sent after log-out (OpenID Connect RP-Initiated Logout §3.1). */
  postLogoutRedirectUris: readonly string[];
  /** Scopes it may ask for. */
  scopes: readonly string[];
  grantTypes: readonly string[];
  authMethod: ClientAuthMethod;
  /** Public keys for `private_key_jwt` (RFC 7517). */
  jwks: { keys: readonly Readonly<Record<string, unknown>>[] } | null;
  /** What a machine client may do in the API; `null`, the default, is nothing. Set by an administrator. */
  role: Role | null;
  secrets: readonly ClientSecret[];
  status: 'active' | 'disabled';
  createdAt: Date;
  updatedAt: Date;
  /** Counts its changes from 1. */
  version: number;
}

import type { ClientAuthMethod, ClientType } from './client.ts';

/** The name of the device authorization grant (RFC 8628 §3.4). */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

interface TypeRules {
  grantTypes: readonly string[];
  /** Allowed authentication methods; the first is the default. */
  authMethods: readonly [ClientAuthMethod, ...ClientAuthMethod[]];
  /** Whether it acts for itself, with its own role. */
  hasRole: boolean;
}

const confidential = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

/** Safe grants and authentication methods of each client type (RFC 6749 §2.1, RFC 8252, RFC 9700 §2). */
export const typeRules: Record<ClientType, TypeRules> = {
  machine: { grantTypes: ['client_credentials'], authMethods: confidential, hasRole: true },
  web: { grantTypes: ['authorization_code', 'refresh_token'], authMethods: confidential, hasRole: false },
  spa: { grantTypes: ['authorization_code', 'refresh_token'], authMethods: ['none'], hasRole: false },
  native: { grantTypes: ['authorization_code', 'refresh_token'], authMethods: ['none'], hasRole: false },
  // A device cannot keep a secret (RFC 8628 §5.6) and has no redirect.
  device: { grantTypes: [DEVICE_GRANT, 'refresh_token'], authMethods: ['none'], hasRole: false },
  // A resource server gets no tokens, but may introspect the tokens that it receives (RFC 7662).
  'resource-server': { grantTypes: [], authMethods: confidential, hasRole: false },
};

/** Returns the authentication method of a request; default: `private_key_jwt` with keys, otherwise that of the type. */
export function toAuthMethod(request: {
  type: ClientType;
  authMethod?: ClientAuthMethod | undefined;
  jwks?: unknown;
}): ClientAuthMethod {
  const { type, authMethod, jwks } = request;
  return authMethod ?? (jwks === undefined ? typeRules[type].authMethods[0] : 'private_key_jwt');
}

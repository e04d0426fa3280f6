import type { ClientAuthMethod, ClientType } from './client.ts';
import { DEVICE_GRANT } from './device-grant.ts';

interface TypeRules {
  grantTypes: readonly string[];
  /** What it may authenticate by; the first is the default. */
  authMethods: readonly [ClientAuthMethod, ...ClientAuthMethod[]];
  /** Whether it acts for itself, in a role of its own. */
  hasRole: boolean;
}

const confidential = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

/** What is safe for each type of client (RFC 6749 §2.1, RFC 8252, RFC 9700 §2). */
export const typeRules: Record<ClientType, TypeRules> = {
  machine: { grantTypes: ['client_credentials'], authMethods: confidential, hasRole: true },
  web: { grantTypes: ['authorization_code', 'refresh_token'], authMethods: confidential, hasRole: false },
  spa: { grantTypes: ['authorization_code', 'refresh_token'], authMethods: ['none'], hasRole: false },
  native: { grantTypes: ['authorization_code', 'refresh_token'], authMethods: ['none'], hasRole: false },
  // It keeps no secret (RFC 8628 §5.6), and nobody is sent back to it.
  device: { grantTypes: [DEVICE_GRANT, 'refresh_token'], authMethods: ['none'], hasRole: false },
  // It gets no tokens, but may ask about those that it is sent (RFC 7662).
  'resource-server': { grantTypes: [], authMethods: confidential, hasRole: false },
};

/** How a client authenticates when it does not say: by its keys if it brings some, else as its type does. */
export function authMethodOf(request: {
  type: ClientType;
  authMethod?: ClientAuthMethod | undefined;
  jwks?: unknown;
}): ClientAuthMethod {
  const { type, authMethod, jwks } = request;
  return authMethod ?? (jwks === undefined ? typeRules[type].authMethods[0] : 'private_key_jwt');
}

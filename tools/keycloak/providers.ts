import { writeFileSync } from 'node:fs';
import { AGENT_ROLE, clientSecret, type Realm } from './realms.ts';

/** Settings of Keydesk for the realms, by their names. */
const members: Readonly<Record<string, object>> = {
  staff: {
    trusted_domains: ['staff.example'],
    trust_authentication: true,
    multi_factor_acrs: ['gold'],
    role_claim: ['realm_access', 'roles'],
    roles: { [AGENT_ROLE]: 'agent' },
    offer_log_out: true,
  },
  field: {
    trusted_domains: ['field.example'],
    trust_authentication: true,
    multi_factor_acrs: ['gold'],
    role_claim: ['realm_access', 'roles'],
    roles: { [AGENT_ROLE]: 'agent' },
  },
  guests: {},
};

/** Writes the providers' file of Keydesk; returns the settings that name it. */
export function writeProviders(
  file: string,
  realms: readonly Realm[],
  issuerOf: (realm: string) => string,
): Record<string, string> {
  const providers = realms.map(({ name, acr }) => ({
    id: name,
    name: `Keycloak ${name}`,
    issuer: issuerOf(name),
    client_id: 'keydesk',
    client_secret_env: 'KEYCLOAK_SECRET',
    parameters: { acr_values: acr },
    ...members[name],
  }));
  writeFileSync(file, JSON.stringify({ providers }, null, 2));
  return { IDENTITY_PROVIDERS_FILE: file, KEYCLOAK_SECRET: clientSecret };
}

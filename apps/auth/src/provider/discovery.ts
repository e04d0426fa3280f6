import type { Configuration, interactionPolicy } from 'oidc-provider';
import { REGISTRATION_PATH } from '../clients/registration/registration-routes.ts';
import { isRegistrationEnabled } from './conformance-profile.ts';

/** Returns metadata (RFC 8414 §2) that oidc-provider does not add itself. */
export function createDiscovery(options: {
  issuer: string;
  isRegistrationOffered: boolean;
  isConformanceProfile: boolean;
  policy: interactionPolicy.DefaultPolicy;
}): Configuration['discovery'] {
  const requestable = options.policy.filter((prompt) => prompt.requestable);
  return {
    prompt_values_supported: ['none', ...requestable.map(({ name }) => name)],
    ...(isRegistrationEnabled(options) && { registration_endpoint: `${options.issuer}${REGISTRATION_PATH}` }),
  };
}

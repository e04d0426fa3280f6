import type { Middleware } from 'koa';
import type { Configuration, interactionPolicy } from 'oidc-provider';
import { REGISTRATION_PATH } from '../clients/registration/registration-routes.ts';
import { languages } from '../pages/language.ts';
import { apiScopes, openIdScopes } from '../values/scopes.ts';
import { isRegistrationEnabled } from './conformance-profile.ts';
import { offeredResponseModes } from './responses/response-modes.ts';
import { routes } from './routes.ts';

/** Metadata members (RFC 8414 §2) that match what is offered; oidc-provider adds all of its own. */
const advertisedMembers = [
  'issuer',
  'token_endpoint',
  'jwks_uri',
  'response_types_supported',
  'grant_types_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'authorization_endpoint',
  'authorization_response_iss_parameter_supported',
  'code_challenge_methods_supported',
  'subject_types_supported',
  'id_token_signing_alg_values_supported',
  'authorization_signing_alg_values_supported',
  'claims_supported',
  'claims_parameter_supported',
  'acr_values_supported',
  'userinfo_endpoint',
  'revocation_endpoint',
  'registration_endpoint',
  'client_id_metadata_document_supported',
  'introspection_endpoint',
  'status_list_aggregation_endpoint',
  'introspection_signing_alg_values_supported',
  'end_session_endpoint',
  'device_authorization_endpoint',
  'backchannel_logout_supported',
  'backchannel_logout_session_supported',
  'request_uri_parameter_supported',
  'request_parameter_supported',
  'request_object_signing_alg_values_supported',
  'pushed_authorization_request_endpoint',
  'dpop_signing_alg_values_supported',
  'prompt_values_supported',
];
/** Makes a document cacheable. */
export function cachePublicly({ maxAgeSeconds }: { maxAgeSeconds: number }): Middleware {
  return async function cacheDocument(ctx, next) {
    await next();
    if (ctx.status === 200) ctx.set('Cache-Control', `public, max-age=${maxAgeSeconds}`);
  };
}

/** Reduces the metadata to what is offered. */
export const reduceMetadata: Middleware = async (ctx, next) => {
  await next();
  if (ctx.status === 200) ctx.body = pickAdvertised(ctx.body as Record<string, unknown>);
};

/**
 * Returns the authentication methods of an endpoint, the same as at the token endpoint. Without them clients assume
 * client_secret_basic alone.
 */
function authenticationMethodsOf(endpoint: string, metadata: Readonly<Record<string, unknown>>) {
  const members = ['auth_methods_supported', 'auth_signing_alg_values_supported'];
  return Object.fromEntries(
    members.map((member) => [`${endpoint}_${member}`, metadata[`token_endpoint_${member}`]]),
  );
}

function pickAdvertised(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members = Object.entries(metadata).filter(([name]) => advertisedMembers.includes(name));
  const methods = metadata.token_endpoint_auth_methods_supported as readonly string[];
  return {
    ...Object.fromEntries(members),
    ...authenticationMethodsOf('revocation_endpoint', metadata),
    ...authenticationMethodsOf('introspection_endpoint', metadata),
    introspection_endpoint_auth_methods_supported: methods.filter((method) => method !== 'none'),
    response_modes_supported: offeredResponseModes,
    scopes_supported: [...openIdScopes, ...apiScopes],
    ui_locales_supported: languages,
  };
}

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
    // Token Status List §9.1
    status_list_aggregation_endpoint: `${options.issuer}${routes.tokenStatusLists}`,
    ...(isRegistrationEnabled(options) && { registration_endpoint: `${options.issuer}${REGISTRATION_PATH}` }),
  };
}

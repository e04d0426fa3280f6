import type { Client } from '../client.ts';

/** Builds the client information response (RFC 7591 §3.2.1), without secrets. */
export function toClientInformation(client: Client): Record<string, unknown> {
  const { security } = client;
  const isForUsers = client.grantTypes.includes('authorization_code');
  return {
    client_id: client.id,
    client_id_issued_at: Math.floor(client.createdAt.getTime() / 1000),
    client_name: client.name,
    ...(client.homePage !== null && { client_uri: client.homePage }),
    ...(client.policyUri !== null && { policy_uri: client.policyUri }),
    ...(client.tosUri !== null && { tos_uri: client.tosUri }),
    application_type: client.type === 'native' ? 'native' : 'web',
    grant_types: client.grantTypes,
    response_types: isForUsers ? ['code'] : [],
    redirect_uris: client.redirectUris,
    post_logout_redirect_uris: client.postLogoutRedirectUris,
    ...(client.backchannelLogoutUri !== null && { backchannel_logout_uri: client.backchannelLogoutUri }),
    ...(client.initiateLoginUri !== null && { initiate_login_uri: client.initiateLoginUri }),
    token_endpoint_auth_method: client.authMethod,
    ...(client.jwks && { jwks: client.jwks }),
    scope: client.scopes.join(' '),
    ...(isForUsers && {
      subject_type: 'public',
      id_token_signed_response_alg: security.idTokenAlgorithm,
      authorization_signed_response_alg: security.authorizationResponseAlgorithm,
    }),
    dpop_bound_access_tokens: security.dpopBoundAccessTokens,
    require_pushed_authorization_requests: security.requirePushedAuthorizationRequests,
    require_signed_request_object: security.requireSignedRequestObject,
  };
}

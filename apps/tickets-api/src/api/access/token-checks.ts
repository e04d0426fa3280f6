import {
  authenticate,
  createProofVerifier,
  createTokenVerifier,
  type Jwks,
  protectedResourceMetadata,
  protectedResourceMetadataUrl,
  type TokenStatusList,
} from '@keydesk/access-token';
import { createReplayGuard, type RedisConnection } from '@keydesk/rate-limit';
import type { Config } from '../../config.ts';
import { getRequiredScope } from '../http/routes.ts';
import { openScopes } from './access.ts';

export interface TokenChecksDeps {
  config: Pick<Config, 'baseUrl' | 'issuer'>;
  /** The issuer's public keys. */
  jwks: Jwks;
  statusList?: Pick<TokenStatusList, 'check'> | undefined;
  redis?: RedisConnection | undefined;
  now: () => Date;
}

/** Creates the checks of access tokens: bearer tokens, and sender-constrained tokens with a DPoP proof (RFC 9449). */
export function createTokenChecks({ config, jwks, statusList, redis, now }: TokenChecksDeps) {
  const { baseUrl, issuer } = config;
  const audience = [baseUrl, `${baseUrl}/`];
  const verifier = createTokenVerifier({ issuer, audience, jwks, statusList, now });
  const replayGuard = createReplayGuard({ redis, keyPrefix: 'keydesk:api:dpop', now });
  const proofs = createProofVerifier({ baseUrl: new URL(baseUrl).origin, replayGuard, now });
  return {
    authenticate: authenticate({
      verifier,
      proofs,
      resourceMetadataUrl: protectedResourceMetadataUrl(baseUrl),
      scopeOf: getRequiredScope,
    }),
    metadata: protectedResourceMetadata({
      resource: baseUrl,
      authorizationServers: [issuer],
      scopes: openScopes,
      proofAlgorithms: proofs.algorithms,
      documentationUrl: `${baseUrl}/docs`,
    }),
  };
}

export type { Algorithm } from './algorithms.ts';
export { type AuthenticatedState, type AuthenticateOptions, authenticate } from './authenticate.ts';
export type { Challenge } from './challenge.ts';
export {
  createProofVerifier,
  type ProofVerifier,
  type ProofVerifierOptions,
  proofAlgorithms,
  type ReplayGuard,
  type RequestToProve,
} from './dpop/proof-verifier.ts';
export {
  ForeignTokenError,
  InvalidProofError,
  InvalidTokenError,
  KeysUnavailableError,
  UnavailableError,
} from './errors.ts';
export { createJwks, type Jwks, type JwksOptions } from './jwks.ts';
export type { JwksLog } from './key-set.ts';
export {
  type ProtectedResourceOptions,
  protectedResourceMetadata,
  protectedResourceMetadataUrl,
} from './protected-resource-metadata.ts';
export { type AuthenticationRequirements, requireAuthentication } from './require-authentication.ts';
export { requireScope, type ScopeCheck } from './require-scope.ts';
export {
  createSecurityEventVerifier,
  InvalidSecurityEventError,
  type SecurityEventErrorCode,
  type SecurityEventToken,
  type SecurityEventVerifier,
  type SecurityEventVerifierOptions,
} from './security-event-verifier.ts';
export type { StatusReference } from './status-claim.ts';
export type { AccessToken } from './token-claims.ts';
export {
  createTokenStatusList,
  type TokenStatusList,
  type TokenStatusListOptions,
} from './token-status-list.ts';
export { createTokenVerifier, type TokenVerifier, type TokenVerifierOptions } from './token-verifier.ts';
export type { VerificationKey } from './verification-keys.ts';

export {
  createProofVerifier,
  type ProofVerifier,
  type ProofVerifierOptions,
  proofAlgorithms,
  type ReplayGuard,
  type RequestToProve,
} from './dpop/proof-verifier.ts';
export { type AuthenticatedState, type AuthenticateOptions, authenticate } from './http/authenticate.ts';
export {
  type ProtectedResourceOptions,
  protectedResourceMetadata,
  protectedResourceMetadataUrl,
} from './http/protected-resource-metadata.ts';
export { type AuthenticationRequirements, requireAuthentication } from './http/require-authentication.ts';
export { requireScope, type ScopeCheck } from './http/require-scope.ts';
export type { Algorithm } from './jws/algorithms.ts';
export {
  ForeignTokenError,
  InvalidProofError,
  InvalidTokenError,
  KeysUnavailableError,
  UnavailableError,
} from './jws/errors.ts';
export { createJwks, type Jwks, type JwksOptions } from './keys/jwks.ts';
export type { JwksLog } from './keys/key-set.ts';
export type { VerificationKey } from './keys/verification-keys.ts';
export type { StatusReference } from './status/status-claim.ts';
export {
  createTokenStatusList,
  type TokenStatusList,
  type TokenStatusListOptions,
} from './status/token-status-list.ts';
export type { Challenge } from './tokens/challenge.ts';
export {
  createSecurityEventVerifier,
  InvalidSecurityEventError,
  type SecurityEventErrorCode,
  type SecurityEventToken,
  type SecurityEventVerifier,
  type SecurityEventVerifierOptions,
} from './tokens/security-event-verifier.ts';
export type { AccessToken } from './tokens/token-claims.ts';
export {
  createTokenVerifier,
  type TokenVerifier,
  type TokenVerifierOptions,
} from './tokens/token-verifier.ts';

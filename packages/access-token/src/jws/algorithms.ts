/**
 * Signature algorithms a resource server can accept (RFC 7518 §3.1, RFC 9864 §2.2); all are asymmetric.
 * Older clients use `EdDSA` for Ed25519 (RFC 8037 §3.1). `EdDSA` also covers Ed448, which is not accepted.
 */
export type Algorithm = 'ES256' | 'RS256' | 'PS256' | 'Ed25519' | 'EdDSA';

/** The JWK type an algorithm requires, and the members of its public key (RFC 7638 §3.2). */
export interface KeyType {
  kty: string;
  crv?: string;
  publicMembers: readonly string[];
}

const ec: KeyType = { kty: 'EC', crv: 'P-256', publicMembers: ['crv', 'kty', 'x', 'y'] };
const rsa: KeyType = { kty: 'RSA', publicMembers: ['e', 'kty', 'n'] };
const ed25519: KeyType = { kty: 'OKP', crv: 'Ed25519', publicMembers: ['crv', 'kty', 'x'] };

export const keyTypes: Readonly<Record<Algorithm, KeyType>> = {
  ES256: ec,
  RS256: rsa,
  PS256: rsa,
  Ed25519: ed25519,
  EdDSA: ed25519,
};

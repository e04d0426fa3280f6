import { constants, type KeyObject, verify } from 'node:crypto';

/**
 * The signature algorithms that a resource server can choose from (RFC 7518 §3.1, RFC 9864 §2.2); none symmetric.
 * `EdDSA` is what older clients call Ed25519 (RFC 8037 §3.1); Ed448, which the name also covers, is not accepted.
 */
export type Algorithm = 'ES256' | 'RS256' | 'PS256' | 'Ed25519' | 'EdDSA';

/** How one algorithm is told to node:crypto, and which public members make its keys, as RFC 7638 §3.2 orders them. */
export interface SignatureScheme {
  kty: string;
  crv?: string;
  publicMembers: readonly string[];
  digest: string | undefined;
  parameters: { dsaEncoding?: 'ieee-p1363'; padding?: number; saltLength?: number };
}

const rsa = { kty: 'RSA', publicMembers: ['e', 'kty', 'n'], digest: 'sha256' };
const ed25519: SignatureScheme = {
  kty: 'OKP',
  crv: 'Ed25519',
  publicMembers: ['crv', 'kty', 'x'],
  digest: undefined,
  parameters: {},
};

export const signatureSchemes: Readonly<Record<Algorithm, SignatureScheme>> = {
  ES256: {
    kty: 'EC',
    crv: 'P-256',
    publicMembers: ['crv', 'kty', 'x', 'y'],
    digest: 'sha256',
    parameters: { dsaEncoding: 'ieee-p1363' },
  },
  RS256: { ...rsa, parameters: { padding: constants.RSA_PKCS1_PADDING } },
  PS256: {
    ...rsa,
    parameters: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
  },
  Ed25519: ed25519,
  EdDSA: ed25519,
};

/**
 * Whether the signature is this key's over these bytes. Synchronous by intent: it costs little more than half of
 * what Web Crypto (and so jose) does, and never waits behind other work for a thread of the pool.
 */
export function isSignedBy(key: KeyObject, algorithm: Algorithm, data: Buffer, signature: Buffer): boolean {
  const { digest, parameters } = signatureSchemes[algorithm];
  return verify(digest, data, { key, ...parameters }, signature);
}

import { generateKeyPairSync, hash, type JsonWebKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { encodeToken } from './test-issuer.ts';

/** Algorithms of test proofs; the resource server rejects some of them. */
export type ProofAlgorithm = 'ES256' | 'ES384' | 'Ed25519' | 'EdDSA' | 'RS256';

/** The request a proof is made for. */
export interface ProvenRequest {
  /** Default: `GET`. */
  method?: string;
  url: string;
  /** The access token sent with it. */
  token: string;
}

/** Overrides that make a proof invalid; `undefined` omits a member. */
export interface ProofOverrides {
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
  /** Creates the signature instead of the key. */
  sign?: (signingInput: string) => Uint8Array;
}

/** DPoP key of a client (RFC 9449). */
export interface DpopKey {
  jwk: JsonWebKey;
  privateJwk: JsonWebKey;
  /** `cnf.jkt` of tokens bound to this key (RFC 7638). */
  thumbprint: string;
  sign(signingInput: string): Uint8Array;
  /** Creates a proof for one request (RFC 9449 §4.2), valid except for the overrides. */
  proof(request: ProvenRequest, overrides?: ProofOverrides): string;
}

/** Options of a DPoP key. */
export interface DpopKeyOptions {
  /** Default: ES256. */
  alg?: ProofAlgorithm;
  /** Source of `iat`. */
  now?: () => Date;
}

/** Creates a DPoP key pair. Bind a token to it with the claim `cnf: { jkt: thumbprint }`. */
export function createDpopKey({ alg = 'ES256', now = () => new Date() }: DpopKeyOptions = {}): DpopKey {
  const { privateKey, publicKey } = generateKeyPair(alg);
  const jwk = publicKey.export({ format: 'jwk' });
  const signAsKey = (signingInput: string) => signBytes(alg, signingInput, privateKey);
  return {
    jwk,
    privateJwk: privateKey.export({ format: 'jwk' }),
    // JSON.stringify writes the listed members in the order of the list.
    thumbprint: hash('sha256', JSON.stringify(jwk, ['crv', 'e', 'kty', 'n', 'x', 'y']), 'base64url'),
    sign: signAsKey,
    proof({ method = 'GET', url, token }, overrides = {}) {
      const good = {
        jti: randomUUID(),
        htm: method,
        htu: url.replace(/[?#].*/, ''),
        iat: Math.floor(now().getTime() / 1000),
        ath: hash('sha256', token, 'base64url'),
      };
      return encodeToken(
        { typ: 'dpop+jwt', alg, jwk, ...overrides.header },
        { ...good, ...overrides.claims },
        overrides.sign ?? signAsKey,
      );
    },
  };
}

function generateKeyPair(alg: ProofAlgorithm): { privateKey: KeyObject; publicKey: KeyObject } {
  if (alg === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (alg === 'ES384') return generateKeyPairSync('ec', { namedCurve: 'P-384' });
  return generateKeyPairSync('ed25519');
}

const digests = { ES256: 'sha256', ES384: 'sha384', Ed25519: undefined, EdDSA: undefined, RS256: 'sha256' };

function signBytes(alg: ProofAlgorithm, signingInput: string, key: KeyObject): Uint8Array {
  return sign(digests[alg], Buffer.from(signingInput), { key, dsaEncoding: 'ieee-p1363' });
}

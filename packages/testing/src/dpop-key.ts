import { generateKeyPairSync, hash, type JsonWebKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { encodeToken } from './test-issuer.ts';

/** How a client may sign its proofs; good servers refuse some of these. */
export type ProofAlgorithm = 'ES256' | 'ES384' | 'Ed25519' | 'EdDSA' | 'RS256';

/** The request that a proof is made for. */
export interface ProvenRequest {
  /** Default: `GET`. */
  method?: string;
  url: string;
  /** The access token that goes with it. */
  token: string;
}

/** What a hostile or faulty proof has instead of what a good one has; `undefined` leaves a member out. */
export interface ProofOverrides {
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
  /** Makes the signature, in place of the key's own. */
  sign?: (signingInput: string) => Uint8Array;
}

/** The key of a client that presents bound tokens (RFC 9449). */
export interface DpopKey {
  jwk: JsonWebKey;
  privateJwk: JsonWebKey;
  /** The `cnf.jkt` of tokens that are bound to this key (RFC 7638). */
  thumbprint: string;
  sign(signingInput: string): Uint8Array;
  /** A proof that is made now and good for one request (RFC 9449 §4.2), but for what is overridden. */
  proof(request: ProvenRequest, overrides?: ProofOverrides): string;
}

/** What a key of a client is like. */
export interface DpopKeyOptions {
  /** Default: ES256. */
  alg?: ProofAlgorithm;
  /** Milliseconds since the epoch, for `iat`. */
  clock?: () => number;
}

/** A new key pair of a client, known to no issuer yet: bind a token to it by the claim `cnf: { jkt: thumbprint }`. */
export function createDpopKey({ alg = 'ES256', clock = Date.now }: DpopKeyOptions = {}): DpopKey {
  const { privateKey, publicKey } = generateKeyPair(alg);
  const jwk = publicKey.export({ format: 'jwk' });
  const signAsKey = (signingInput: string) => signBytes(alg, signingInput, privateKey);
  return {
    jwk,
    privateJwk: privateKey.export({ format: 'jwk' }),
    // JSON has the members of a list in the order of the list.
    thumbprint: hash('sha256', JSON.stringify(jwk, ['crv', 'e', 'kty', 'n', 'x', 'y']), 'base64url'),
    sign: signAsKey,
    proof({ method = 'GET', url, token }, overrides = {}) {
      const good = {
        jti: randomUUID(),
        htm: method,
        htu: url.replace(/[?#].*/, ''),
        iat: Math.floor(clock() / 1000),
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

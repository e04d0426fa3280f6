import { verify } from 'node:crypto';
import type { SigningKey } from './signing-key.ts';

/** The claims of an access token (RFC 9068 §2.2). */
export interface AccessTokenClaims {
  iss: string;
  aud: string;
  sub: string;
  client_id: string;
  exp: number;
  iat: number;
  jti: string;
  scope?: string;
  role?: string;
  /** Digest of the grant's id, in what is issued for a person. */
  grant_id?: string;
  /** OpenID Connect's scopes that it was issued with, for the userinfo endpoint. */
  openid_scope?: string;
  /** The key that it is bound to (RFC 9449 §6.1). */
  cnf?: { jkt?: string };
}

export interface JwtAccessTokensOptions {
  issuer: string;
  keys: () => readonly Pick<SigningKey, 'kid' | 'algorithm' | 'publicKey'>[];
  /** Milliseconds since the epoch. */
  clock: () => number;
}

/** Reads an access token of our own; `undefined` for whatever is none, or none any more. */
export function createJwtAccessTokenReader({ issuer, keys, clock }: JwtAccessTokensOptions) {
  return function readJwtAccessToken(token: string): AccessTokenClaims | undefined {
    const [header = '', payload = '', signature = '', ...rest] = token.split('.');
    const { typ, alg, kid } = parseObject(header);
    const key = keys().find((each) => each.kid === kid && each.algorithm === 'ES256');
    if (!key || typ !== 'at+jwt' || alg !== 'ES256' || rest.length > 0) return undefined;
    const publicKey = { key: key.publicKey, dsaEncoding: 'ieee-p1363' } as const;
    const signed = Buffer.from(`${header}.${payload}`);
    if (!verify('sha256', signed, publicKey, Buffer.from(signature, 'base64url'))) return undefined;
    // What we signed has the shape that we gave it.
    const claims = parseObject(payload) as unknown as AccessTokenClaims;
    return claims.iss === issuer && claims.exp > clock() / 1000 ? claims : undefined;
  };
}

function parseObject(part: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString()));
  } catch {
    return {};
  }
}

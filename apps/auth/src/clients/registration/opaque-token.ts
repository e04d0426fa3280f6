import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Prefixes by which secret scanners recognize leaked tokens, and users their kind. */
const prefixes = { initial: 'kdit_', registration: 'kdrt_' } as const;

/** Creates a bearer token of 256 random bits. */
export function createOpaqueToken(kind: keyof typeof prefixes): string {
  return prefixes[kind] + randomBytes(32).toString('base64url');
}

/** Returns the stored digest of a token: SHA-256, base64url. With 256 random bits, the token can't be guessed from it. */
export function toDigest(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** Whether a digest belongs to a token; compares in constant time. */
export function isDigestOf(digest: string, token: string): boolean {
  return timingSafeEqual(Buffer.from(digest), Buffer.from(toDigest(token)));
}

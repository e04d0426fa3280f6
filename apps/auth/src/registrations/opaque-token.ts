import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Lets secret scanners recognise a leaked token, and people tell which kind it is. */
const prefixes = { initial: 'kdit_', registration: 'kdrt_' } as const;

/** A new bearer token of 256 random bits. */
export function createOpaqueToken(kind: keyof typeof prefixes): string {
  return prefixes[kind] + randomBytes(32).toString('base64url');
}

/** What is kept of a token: its SHA-256, base64url. The token has too many random bits to be guessed from it. */
export function digestOf(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** Whether a digest is that of a token, in constant time. */
export function isDigestOf(digest: string, token: string): boolean {
  return timingSafeEqual(Buffer.from(digest), Buffer.from(digestOf(token)));
}

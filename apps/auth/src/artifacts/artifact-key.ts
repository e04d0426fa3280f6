import { hash } from 'node:crypto';

/** Returns the store key of an artifact id: its SHA-256 digest. */
export function toArtifactKey(id: string): string {
  return hash('sha256', id, 'base64url');
}

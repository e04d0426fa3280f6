import { hash } from 'node:crypto';

/** The key of the artifact that has this id. */
export function artifactKeyOf(id: string): string {
  return hash('sha256', id, 'base64url');
}

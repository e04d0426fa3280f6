import { toArtifactKey } from './artifact-key.ts';
import type { ArtifactStore } from './artifact-store.ts';

/** Record that something was used or ended. It has no content. */
export interface Mark {
  /** Kind of what is marked. */
  model: string;
  id: string;
  expiresAt: Date;
}

/** Stores a mark; exactly one concurrent caller in all processes gets `true`. */
export function markOnce(
  artifacts: Pick<ArtifactStore, 'insertOnce'>,
  { model, id, expiresAt }: Mark,
  now: Date,
): Promise<boolean> {
  return artifacts.insertOnce({ model, key: toArtifactKey(id), payload: new Uint8Array(), expiresAt }, now);
}

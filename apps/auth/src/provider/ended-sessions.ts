import type { ArtifactStore, StoredArtifact } from './artifact-store.ts';

const MODEL = 'Session';
/** Longer than a request may take. */
const REMEMBERED_MS = 300_000;

/**
 * Ends a session for good. The library saves a session at the end of each request, whatever became of it meanwhile; so
 * for a while it is remembered, without its content, as one that has ended, and then it is gone.
 */
export async function endSessionForGood(
  artifacts: Pick<ArtifactStore, 'consume' | 'upsert'>,
  key: string,
  now: Date,
): Promise<void> {
  if (!(await artifacts.consume(MODEL, key, now))) return;
  const expiresAt = new Date(now.getTime() + REMEMBERED_MS);
  await artifacts.upsert({ model: MODEL, key, payload: new Uint8Array(), expiresAt });
}

/** The same for a session that may be gone by now, and may be saved once more by a request that had it. */
export async function keepSessionEnded(
  artifacts: Pick<ArtifactStore, 'insertOnce' | 'consume' | 'upsert'>,
  key: string,
  now: Date,
): Promise<void> {
  const expiresAt = new Date(now.getTime() + REMEMBERED_MS);
  await artifacts.insertOnce({ model: MODEL, key, payload: new Uint8Array(), expiresAt }, now);
  await endSessionForGood(artifacts, key, now);
}

/** Whether it is a session that somebody has signed out of, or that goes on under another id. */
export function hasEnded({ model, consumedAt }: Pick<StoredArtifact, 'model' | 'consumedAt'>): boolean {
  return model === MODEL && consumedAt !== undefined;
}

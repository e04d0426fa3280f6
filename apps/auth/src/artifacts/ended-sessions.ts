import { toArtifactKey } from './artifact-key.ts';
import type { ArtifactStore, StoredArtifact } from './artifact-store.ts';
import { markOnce } from './mark.ts';

const MODEL = 'Session';
/** Mark of a session that was ended under all its ids, by the digest of its `uid`. */
const MARK_MODEL = 'EndedSession';
/** Longer than a request may take. */
const RETENTION_MS = 300_000;

/**
 * Ends a session for good. oidc-provider saves the session at the end of each request, even if it ended in the
 * meantime. So an empty, consumed record blocks the key for a while.
 */
export async function endSessionPermanently(
  artifacts: Pick<ArtifactStore, 'consume' | 'upsert'>,
  key: string,
  now: Date,
): Promise<void> {
  if (!(await artifacts.consume(MODEL, key, now))) return;
  const expiresAt = new Date(now.getTime() + RETENTION_MS);
  await artifacts.upsert({ model: MODEL, key, payload: new Uint8Array(), expiresAt });
}

/** Ends a session that may already be deleted, but may be saved again by a request in flight. */
export async function preventSessionRevival(
  artifacts: Pick<ArtifactStore, 'insertOnce' | 'consume' | 'upsert'>,
  key: string,
  now: Date,
): Promise<void> {
  const expiresAt = new Date(now.getTime() + RETENTION_MS);
  await artifacts.insertOnce({ model: MODEL, key, payload: new Uint8Array(), expiresAt }, now);
  await endSessionPermanently(artifacts, key, now);
}

/**
 * Marks a session as ended under all its ids; exactly one concurrent caller gets `true`. A request in flight may
 * continue the session under a new id, or store a grant. It looks for the mark after each such write, so the later
 * of both ends what was written.
 */
export function markSessionEnded(
  artifacts: Pick<ArtifactStore, 'insertOnce'>,
  uid: string,
  now: Date,
): Promise<boolean> {
  const expiresAt = new Date(now.getTime() + RETENTION_MS);
  return markOnce(artifacts, { model: MARK_MODEL, id: uid, expiresAt }, now);
}

/** Whether the session was marked as ended. */
export async function isMarkedEnded(
  artifacts: Pick<ArtifactStore, 'find'>,
  uid: string,
  now: Date,
): Promise<boolean> {
  return (await artifacts.find(MARK_MODEL, toArtifactKey(uid), now)) !== undefined;
}

/**
 * Whether a session has ended by sign-out or continues under another id. An empty record is one of an ended session that
 * is about to be consumed.
 */
export function isEndedSession({
  model,
  consumedAt,
  payload,
}: Pick<StoredArtifact, 'model' | 'consumedAt' | 'payload'>): boolean {
  return model === MODEL && (consumedAt !== undefined || payload.length === 0);
}

import type { ArtifactStore, StoredArtifact } from './artifact-store.ts';

export interface ReuseDeps {
  artifacts: Pick<ArtifactStore, 'revokeGrant'>;
  /** Told of what was redeemed once more, after its grant was revoked. */
  onReuse?: ((artifact: StoredArtifact) => Promise<void>) | undefined;
}

/** RFC 6749 §4.1.2, RFC 9700 §4.14.2: what was issued to the one who came first, who may be a thief, is revoked. */
export async function revokeFamily(used: StoredArtifact, { artifacts, onReuse }: ReuseDeps): Promise<void> {
  if (used.grantKey) await artifacts.revokeGrant(used.grantKey);
  await onReuse?.(used);
}

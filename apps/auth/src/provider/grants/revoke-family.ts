import type { ArtifactStore, StoredArtifact } from '../../artifacts/artifact-store.ts';

export interface ReuseDeps {
  artifacts: Pick<ArtifactStore, 'revokeGrant'>;
  now: () => Date;
  /** Called with an artifact that was used again, after its grant was revoked. */
  onReuse?: ((artifact: StoredArtifact) => Promise<void>) | undefined;
}

/**
 * Revokes everything issued from a reused artifact, because its first user may be an attacker (RFC 6749 §4.1.2, RFC
 * 9700 §4.14.2).
 */
export async function revokeFamily(
  used: StoredArtifact,
  { artifacts, now, onReuse }: ReuseDeps,
): Promise<void> {
  if (used.grantKey) await artifacts.revokeGrant(used.grantKey, now());
  await onReuse?.(used);
}

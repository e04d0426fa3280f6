import type { ArtifactStore } from './artifact-store.ts';

/** Calls back after each revocation of grants by this process. */
export function announceRevocations(artifacts: ArtifactStore, onRevoked: () => void): ArtifactStore {
  const announce =
    <Args extends readonly unknown[]>(revoke: (...args: Args) => Promise<void>) =>
    async (...args: Args): Promise<void> => {
      await revoke(...args);
      onRevoked();
    };
  return {
    ...artifacts,
    revokeGrant: announce(artifacts.revokeGrant),
    revokeAccount: announce(artifacts.revokeAccount),
    revokeClient: announce(artifacts.revokeClient),
  };
}

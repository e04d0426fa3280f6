import type { KeyStore, StoredKey } from './key-store.ts';

/** Updates the stored key set. If a server has changed it in the meantime, the update is applied to the new set. */
export async function updateKeySet(
  store: KeyStore,
  update: (keys: readonly StoredKey[]) => readonly StoredKey[],
): Promise<readonly StoredKey[]> {
  for (;;) {
    const { keys, revision } = await store.load();
    const changed = update(keys);
    if (await store.save(changed, revision)) return changed;
  }
}

import type { KeyStore, StoredKey } from './key-store.ts';

/** Changes the stored set, which servers may change meanwhile: then what they wrote is changed. */
export async function changeKeys(
  store: KeyStore,
  toChanged: (keys: readonly StoredKey[]) => readonly StoredKey[],
): Promise<readonly StoredKey[]> {
  for (;;) {
    const { keys, revision } = await store.load();
    const changed = toChanged(keys);
    if (await store.save(changed, revision)) return changed;
  }
}

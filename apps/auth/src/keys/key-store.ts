/** A signing key as stored, with a sealed private part. */
export interface StoredKey {
  kid: string;
  algorithm: 'ES256' | 'RS256';
  /** The private JWK, encrypted with the master secret. */
  sealedJwk: Uint8Array;
  createdAt: Date;
  /** Start of signing; `null` for the next key without a date. */
  activeFrom: Date | null;
}

export interface StoredKeySet {
  /** Number of changes; 0 for the empty set of a new database. */
  revision: number;
  keys: readonly StoredKey[];
}

/**
 * Store of the server's signing keys. Safe under many processes; failures of the engine reject with
 * `AppError('unavailable')`.
 */
export interface KeyStore {
  load(): Promise<StoredKeySet>;
  /**
   * Replaces the whole set by compare-and-set: writes revision `expectedRevision + 1` if the stored one is
   * `expectedRevision`. Exactly one concurrent caller gets `true`; the others must reload.
   */
  save(keys: readonly StoredKey[], expectedRevision: number): Promise<boolean>;
}

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

/** A signing key as stored: the private part only sealed. */
export interface StoredKey {
  kid: string;
  algorithm: 'ES256' | 'RS256';
  /** The private JWK, encrypted with the master secret. */
  sealedJwk: Uint8Array;
  createdAt: Date;
  /** From when on it signs; `null` while it waits as the next key. */
  activeFrom: Date | null;
}

export interface StoredKeySet {
  /** Counts the changes of the set; 0 for the empty set of a new database. */
  revision: number;
  keys: readonly StoredKey[];
}

/** The server's signing keys. Safe under many processes; failures of the engine reject with `AppError('unavailable')`. */
export interface KeyStore {
  load(): Promise<StoredKeySet>;
  /**
   * Compare-and-set of the whole set: writes `keys` as revision `expectedRevision + 1` if the stored revision is
   * `expectedRevision`. Exactly one racer gets `true`; the others load again and see what it wrote.
   */
  save(keys: readonly StoredKey[], expectedRevision: number): Promise<boolean>;
}

/**
 * Stored state of the authorization server between requests: codes, refresh tokens, sessions, grants, interactions,
 * used `jti`s. `key` is a digest of the artifact's id; the id itself never reaches a store. `payload` is sealed, so a
 * leaked database holds nothing that can be presented.
 */
export interface Artifact {
  /** The kind of artifact, as oidc-provider names it: `AuthorizationCode`, `RefreshToken`, `Session`, … */
  model: string;
  /** SHA-256 of the id, base64url; unique within the model. */
  key: string;
  payload: Uint8Array;
  /** From this instant on the artifact no longer exists, even before the purge. `undefined`: never expires. */
  expiresAt?: Date | undefined;
  /** Key of the `Grant` it was issued under. */
  grantKey?: string | undefined;
  /** Digest of the `uid` of a session. */
  uidKey?: string | undefined;
  /** Digest of the user code of a device code. */
  userCodeKey?: string | undefined;
  accountId?: string | undefined;
  clientId?: string | undefined;
  /** Index of a `Grant` in the token status list; unique among stored artifacts. */
  statusIndex?: number | undefined;
}

export interface StoredArtifact extends Artifact {
  /** When the artifact was consumed, if it can be used once. */
  consumedAt?: Date | undefined;
}

/** Result of redeeming a refresh token. */
export interface Exchange {
  issued: Artifact;
  /** Sealed response, returned again if the same refresh token is presented once more. */
  answer?: { payload: Uint8Array; expiresAt: Date } | undefined;
}

/**
 * Database port for artifacts. Many processes may call every method on one database concurrently; a promise of a write
 * resolves only when the write is durable. Failures of the engine reject with `AppError('unavailable')`.
 */
export interface ArtifactStore {
  /**
   * Writes an artifact, replacing one of the same model and key; a consumed one stays consumed. Resolves with `false`
   * and writes nothing if it is a revoked `Grant`.
   */
  upsert(artifact: Artifact): Promise<boolean>;
  /**
   * Writes an artifact unless a live one of the same model and key exists; exactly one concurrent caller gets `true`.
   */
  insertOnce(artifact: Artifact, now: Date): Promise<boolean>;
  /** Finds a live artifact: neither expired at `now` nor revoked. */
  find(model: string, key: string, now: Date): Promise<StoredArtifact | undefined>;
  findByUid(uidKey: string, now: Date): Promise<StoredArtifact | undefined>;
  findByUserCode(userCodeKey: string, now: Date): Promise<StoredArtifact | undefined>;
  /** Returns every live artifact of a model that belongs to an account and was not issued under a grant, unordered. */
  findByAccount(model: string, accountId: string, now: Date): Promise<readonly StoredArtifact[]>;
  /** Returns up to `limit` live artifacts of a model, unordered. */
  findByModel(model: string, now: Date, limit: number): Promise<readonly StoredArtifact[]>;
  /** Marks a live artifact as consumed. Exactly one caller gets `true`; all others, then and later, get `false`. */
  consume(model: string, key: string, at: Date): Promise<boolean>;
  /**
   * Consumes a live refresh token and writes what it is exchanged for, atomically. Exactly one caller gets `true`; all
   * others, then and later, get `false` and nothing is written.
   */
  redeem(key: string, at: Date, exchange: Exchange): Promise<boolean>;
  /** Returns the sealed response that a refresh token was exchanged for, until it expires. */
  findAnswer(key: string, now: Date): Promise<Uint8Array | undefined>;
  destroy(model: string, key: string): Promise<void>;
  /** Destroys every artifact issued under a grant, in bounded batches. The `Grant` itself stays. */
  destroyByGrant(grantKey: string): Promise<void>;
  /**
   * Revokes a grant for good and destroys every artifact issued under it, in bounded batches. One atomic write marks
   * the `Grant` first: from then on it is never found and cannot be written again. Whatever a racing request still
   * stores under it is therefore unusable, and a crash half-way leaves only rows for the purge. The mark is purged when
   * the grant would have expired. It contains the first `at`, from which the token status list takes the grant.
   */
  revokeGrant(grantKey: string, at: Date): Promise<void>;
  /**
   * Revokes everything an account owns, in bounded batches. Its grants are revoked for good, as by `revokeGrant`,
   * before the artifacts issued under them and all other artifacts of the account are destroyed.
   */
  revokeAccount(accountId: string, at: Date): Promise<void>;
  /** Revokes everything that was issued to a client, in the same way. */
  revokeClient(clientId: string, at: Date): Promise<void>;
  /**
   * Deletes up to `limit` artifacts and responses that have expired at `now`, and resolves with their number. Safe in
   * several processes.
   */
  purgeExpired(now: Date, limit: number): Promise<number>;
}

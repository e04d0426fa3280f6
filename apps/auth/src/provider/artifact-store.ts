/**
 * Anything the authorization server has to remember between requests: codes, refresh tokens, sessions, grants,
 * interactions, used-up `jti`s. `key` is a digest of the artifact's id; the id itself never reaches a store, and
 * `payload` is sealed, so that a leaked database holds nothing that can be presented.
 */
export interface Artifact {
  /** The kind of artifact, as oidc-provider names it: `AuthorizationCode`, `RefreshToken`, `Session`, … */
  model: string;
  /** SHA-256 of the id, base64url; unique within the model. */
  key: string;
  payload: Uint8Array;
  /** After this instant the artifact is gone, whether or not it has been purged. `undefined`: it never expires. */
  expiresAt?: Date | undefined;
  /** When it was used up, for what may be used once. */
  consumedAt?: Date | undefined;
  /** The grant it was issued under. */
  grantId?: string | undefined;
  /** Digest of the `uid`, for sessions. */
  uidKey?: string | undefined;
  /** Digest of the user code, for device codes. */
  userCodeKey?: string | undefined;
  accountId?: string | undefined;
  clientId?: string | undefined;
}

/**
 * What the authorization server needs of a database for its artifacts. Every method may be called by many processes
 * on one database at once; a promise of a write resolves only when the write is durable. Failures of the engine
 * reject with `AppError('unavailable')`.
 */
export interface ArtifactStore {
  /** Writes an artifact, replacing one of the same model and key. A replaced one keeps its `consumedAt`. */
  upsert(artifact: Artifact): Promise<void>;
  /** Writes an artifact unless a live one of that model and key exists; exactly one racer gets `true`. */
  insertOnce(artifact: Artifact, now: Date): Promise<boolean>;
  /** The live artifact. What has expired at `now` is not found. */
  find(model: string, key: string, now: Date): Promise<Artifact | undefined>;
  findByUid(model: string, uidKey: string, now: Date): Promise<Artifact | undefined>;
  findByUserCode(model: string, userCodeKey: string, now: Date): Promise<Artifact | undefined>;
  /** Marks an artifact as used up; exactly one racer gets `true`, all others, then and later, `false`. */
  consume(model: string, key: string, at: Date): Promise<boolean>;
  destroy(model: string, key: string): Promise<void>;
  /** Destroys, in one transaction a batch, every artifact of the grant and the `Grant` itself (key `grantKey`). */
  revokeGrant(grantId: string, grantKey: string): Promise<void>;
  /** Deletes up to `limit` artifacts that expired before `now`; resolves with how many. Safe in several processes. */
  purgeExpired(now: Date, limit: number): Promise<number>;
}

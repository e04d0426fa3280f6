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
  /** From this instant on the artifact is gone, whether or not it has been purged. `undefined`: it never expires. */
  expiresAt?: Date | undefined;
  /** Key of the `Grant` it was issued under. */
  grantKey?: string | undefined;
  /** Digest of the `uid`, for sessions. */
  uidKey?: string | undefined;
  /** Digest of the user code, for device codes. */
  userCodeKey?: string | undefined;
  accountId?: string | undefined;
  clientId?: string | undefined;
}

export interface StoredArtifact extends Artifact {
  /** When it was used up, for what may be used once. */
  consumedAt?: Date | undefined;
}

/** What a refresh token is exchanged for. */
export interface Exchange {
  issued: Artifact;
  /** What is answered, sealed, for whoever brings the refresh token once more. */
  answer?: { payload: Uint8Array; expiresAt: Date } | undefined;
}

/**
 * What the authorization server needs of a database for its artifacts. Every method may be called by many processes
 * on one database at once; a promise of a write resolves only when the write is durable. Failures of the engine
 * reject with `AppError('unavailable')`.
 */
export interface ArtifactStore {
  /**
   * Writes an artifact, replacing one of the same model and key, which stays consumed if it was. `false`, with
   * nothing written: it is a `Grant` that was revoked.
   */
  upsert(artifact: Artifact): Promise<boolean>;
  /** Writes an artifact unless a live one of that model and key exists; exactly one racer gets `true`. */
  insertOnce(artifact: Artifact, now: Date): Promise<boolean>;
  /** The live artifact: neither expired at `now` nor revoked. */
  find(model: string, key: string, now: Date): Promise<StoredArtifact | undefined>;
  findByUid(uidKey: string, now: Date): Promise<StoredArtifact | undefined>;
  findByUserCode(userCodeKey: string, now: Date): Promise<StoredArtifact | undefined>;
  /** Every live artifact of a model that belongs to an account and was not issued under a grant, in no order. */
  findOfAccount(model: string, accountId: string, now: Date): Promise<readonly StoredArtifact[]>;
  /** Up to `limit` live artifacts of a model, in no order. */
  findOfModel(model: string, now: Date, limit: number): Promise<readonly StoredArtifact[]>;
  /** Marks a live artifact as used up; exactly one racer gets `true`, all others, then and later, `false`. */
  consume(model: string, key: string, at: Date): Promise<boolean>;
  /**
   * Marks a live refresh token as used up and writes what it is exchanged for, all or nothing; exactly one racer gets `true`,
   * all others, then and later, `false` with nothing written.
   */
  redeem(key: string, at: Date, exchange: Exchange): Promise<boolean>;
  /** The payload of the answer that a refresh token was exchanged for, until that expires. */
  findAnswer(key: string, now: Date): Promise<Uint8Array | undefined>;
  destroy(model: string, key: string): Promise<void>;
  /** Destroys, in bounded batches, every artifact issued under a grant. The `Grant` itself stays. */
  destroyIssuedUnder(grantKey: string): Promise<void>;
  /**
   * Revokes a grant for good and destroys, in bounded batches, every artifact issued under it. The `Grant` is marked
   * first, in one atomic write: from then on it is never found and cannot be written again, so whatever a racing
   * request still stores under it can never be used, and a crash half-way loses nothing but tidiness. The mark is
   * purged when the grant would have expired.
   */
  revokeGrant(grantKey: string): Promise<void>;
  /**
   * Ends, in bounded batches, everything that an account has begun: its grants are revoked for good, as `revokeGrant`
   * does, before what was issued under them, and everything else that is its own, is destroyed.
   */
  revokeAccount(accountId: string): Promise<void>;
  /** Ends in the same way everything that was issued to a client. */
  revokeClient(clientId: string): Promise<void>;
  /** Deletes up to `limit` artifacts and answers that have expired at `now`; resolves with how many. Safe in several processes. */
  purgeExpired(now: Date, limit: number): Promise<number>;
}

/** Registration of a client by a program, which can read, change and remove the client with a token (RFC 7592). */
export interface Registration {
  clientId: string;
  /** SHA-256 of the registration access token, base64url. */
  tokenDigest: string;
  createdAt: Date;
  /** Time at which the client last got a token, within an hour; initially the time of registration. */
  activeAt: Date;
}

/**
 * Stores registrations. Safe with many processes. Writes resolve when durable. Failures of the engine reject with
 * `AppError('unavailable')`.
 */
export interface RegistrationStore {
  insert(registration: Registration): Promise<void>;
  find(clientId: string): Promise<Registration | undefined>;
  /** Compare-and-set of the token's digest: exactly one of several concurrent calls returns `true`. */
  replaceToken(clientId: string, expectedDigest: string, digest: string): Promise<boolean>;
  /** Records that a client got a token; never replaces a later time. Ignores clients without a registration. */
  recordActivity(clientId: string, at: Date): Promise<void>;
  /** Lists up to `limit` registrations whose client was last active before `before`, the longest idle first. */
  listIdle(before: Date, limit: number): Promise<readonly Registration[]>;
  /** @returns whether the registration existed */
  remove(clientId: string): Promise<boolean>;
}

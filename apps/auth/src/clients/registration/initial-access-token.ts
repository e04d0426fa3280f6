/** Authorizes programs to register clients (RFC 7591 §1.2, "initial access token"). */
export interface InitialAccessToken {
  /** UUIDv7. */
  id: string;
  /** SHA-256 of the token, base64url. The token itself is shown once. */
  digest: string;
  /** The operator's name for its recipient. */
  name: string;
  /** Number of clients that it can still register. */
  usesLeft: number;
  createdAt: Date;
  expiresAt: Date;
}

/** Lets programs register clients by themselves (RFC 7591 §1.2, "initial access token"). */
export interface InitialAccessToken {
  /** UUIDv7. */
  id: string;
  /** SHA-256 of the token, base64url. The token itself is shown once. */
  digest: string;
  /** Whom it was made for, as the operator calls them. */
  name: string;
  /** How many clients it may still register. */
  usesLeft: number;
  createdAt: Date;
  expiresAt: Date;
}

/** That a client was registered by a program, which may read, change and remove it by a token (RFC 7592). */
export interface Registration {
  clientId: string;
  /** SHA-256 of the registration access token, base64url. */
  tokenDigest: string;
  createdAt: Date;
  /** When the client last got a token, to some hours; at first, when it was registered. */
  activeAt: Date;
}

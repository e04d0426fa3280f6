/** Registration of a client by a program, which can read, change and remove the client with a token (RFC 7592). */
export interface Registration {
  clientId: string;
  /** SHA-256 of the registration access token, base64url. */
  tokenDigest: string;
  createdAt: Date;
  /** Time at which the client last got a token, within an hour; initially the time of registration. */
  activeAt: Date;
}

/** The token is good for no request. The message is fit for `error_description` and repeats nothing of it. */
export class InvalidTokenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidTokenError';
  }
}

/** Whether the token is good cannot be told, for the issuer's keys could not be had. */
export class KeysUnavailableError extends Error {
  /** Whole seconds until the next attempt to get the keys, at least 1. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number, options?: ErrorOptions) {
    super('The keys that sign access tokens cannot be had right now.', options);
    this.name = 'KeysUnavailableError';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

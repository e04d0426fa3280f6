/** The token is good for no request. The message is fit for `error_description` and repeats nothing of it. */
export class InvalidTokenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidTokenError';
  }
}

/** The token was never meant for this API; only one from another authorization request works here. */
export class ForeignTokenError extends InvalidTokenError {
  /** The fault without a full stop: what to request instead may follow it. */
  readonly fault: string;

  constructor(fault: string) {
    super(`${fault}.`);
    this.name = 'ForeignTokenError';
    this.fault = fault;
  }
}

/** The DPoP proof is not good for this request (RFC 9449 §4.3); the message is as that of an invalid token. */
export class InvalidProofError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidProofError';
  }
}

/** Whether the request is good cannot be told right now. */
export class UnavailableError extends Error {
  /** Whole seconds until it may be told, at least 1. */
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnavailableError';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The issuer's keys could not be had. */
export class KeysUnavailableError extends UnavailableError {
  constructor(retryAfterSeconds: number, options?: ErrorOptions) {
    super('The keys that sign access tokens cannot be had right now.', retryAfterSeconds, options);
    this.name = 'KeysUnavailableError';
  }
}

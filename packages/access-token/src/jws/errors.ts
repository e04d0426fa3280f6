/** The token is invalid. The message suits `error_description` and repeats no part of the token. */
export class InvalidTokenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidTokenError';
  }
}

/** The token is not meant for this API; the client must request another one. */
export class ForeignTokenError extends InvalidTokenError {
  /** The message without its full stop, so that advice can follow it. */
  readonly fault: string;

  constructor(fault: string) {
    super(`${fault}.`);
    this.name = 'ForeignTokenError';
    this.fault = fault;
  }
}

/** The DPoP proof is invalid for this request (RFC 9449 §4.3). The message suits `error_description`. */
export class InvalidProofError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidProofError';
  }
}

/** The request cannot be verified currently. */
export class UnavailableError extends Error {
  /** Whole seconds until the next attempt, at least 1. */
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnavailableError';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The issuer's keys could not be fetched. */
export class KeysUnavailableError extends UnavailableError {
  constructor(retryAfterSeconds: number, options?: ErrorOptions) {
    super('Signing keys are temporarily unavailable.', retryAfterSeconds, options);
    this.name = 'KeysUnavailableError';
  }
}

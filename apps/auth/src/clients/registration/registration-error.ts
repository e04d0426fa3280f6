/** Error of a request to register or manage a client (RFC 7591 §3.2.2, RFC 6750 §3.1). */
export class RegistrationError extends Error {
  override name = 'RegistrationError';
  readonly error: RegistrationErrorCode;

  constructor(error: RegistrationErrorCode, description: string, options?: ErrorOptions) {
    super(description, options);
    this.error = error;
  }
}

export const registrationStatuses = {
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  invalid_request: 400,
  invalid_token: 401,
  access_denied: 403,
  too_many_requests: 429,
} as const;

export type RegistrationErrorCode = keyof typeof registrationStatuses;

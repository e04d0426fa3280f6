/** All errors a client can receive: code, HTTP status and title. */
export const catalogue = {
  invalid_request: { status: 400, title: 'The request is invalid' },
  malformed_body: { status: 400, title: 'The request body cannot be read' },
  validation_failed: { status: 400, title: 'The data is invalid' },
  invalid_token: { status: 401, title: 'A valid access token is required' },
  insufficient_user_authentication: { status: 401, title: 'The user must authenticate again' },
  invalid_dpop_proof: { status: 401, title: 'A valid DPoP proof is required' },
  insufficient_scope: { status: 403, title: 'The access token does not carry the required scope' },
  forbidden: { status: 403, title: 'The caller is not allowed to do this' },
  not_found: { status: 404, title: 'The resource does not exist' },
  method_not_allowed: { status: 405, title: 'The resource does not support this method' },
  not_acceptable: { status: 406, title: 'No offered representation is acceptable' },
  conflict: { status: 409, title: 'The request conflicts with the current state' },
  in_use: { status: 409, title: 'The resource is in use' },
  id_in_use: { status: 409, title: 'The id is in use' },
  external_id_in_use: { status: 409, title: 'The external id is in use' },
  transition_not_allowed: { status: 409, title: 'The ticket cannot change to this status' },
  ticket_closed: { status: 409, title: 'The ticket is permanently closed' },
  position_expired: { status: 410, title: 'The changes after this position are no longer stored' },
  precondition_failed: { status: 412, title: 'The resource has changed' },
  payload_too_large: { status: 413, title: 'The request body is too large' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported' },
  too_many_requests: { status: 421, title: 'Too many requests' },
  idempotency_mismatch: { status: 422, title: 'The idempotency key was used with another request' },
  internal_error: { status: 500, title: 'The server failed to handle the request' },
  unavailable: { status: 503, title: 'The service is temporarily unavailable' },
} as const satisfies Record<string, { status: number; title: string }>;

/** Stable, machine-readable name of an error. */
export type ErrorCode = keyof typeof catalogue;

/** One input error: its field (dotted path or parameter name), a stable code and a message. */
export interface FieldError {
  field: string;
  code: string;
  message: string;
}

/** Options of an `AppError`. */
export interface AppErrorOptions {
  /** All input errors. */
  errors?: readonly FieldError[] | undefined;
  /** Response headers of the error, such as a challenge. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Seconds after which the request may be repeated. */
  retryAfterSeconds?: number | undefined;
  /** Extension members of the problem document (RFC 9457 §3.2). */
  extensions?: Readonly<Record<string, unknown>> | undefined;
  /** Overrides the status of the catalogue when a setting defines it. */
  status?: number | undefined;
  cause?: unknown;
}

/** An error whose message is safe to send to the client. Any other thrown value is a bug and gets 500. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;
  readonly extensions: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = options.status ?? catalogue[code].status;
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.extensions = options.extensions ?? {};
  }
}

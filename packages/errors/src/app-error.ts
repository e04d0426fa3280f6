/** The closed catalogue of failures a caller can be told about: code → HTTP status and title. */
export const catalogue = {
  invalid_request: { status: 400, title: 'The request is invalid' },
  malformed_body: { status: 400, title: 'The request body cannot be read' },
  validation_failed: { status: 400, title: 'The data is invalid' },
  invalid_token: { status: 401, title: 'A valid access token is required' },
  invalid_dpop_proof: { status: 401, title: 'A valid DPoP proof is required' },
  insufficient_scope: { status: 403, title: 'The access token does not carry the required scope' },
  forbidden: { status: 403, title: 'The caller may not do this' },
  not_found: { status: 404, title: 'There is nothing at this address' },
  method_not_allowed: { status: 405, title: 'The resource does not support this method' },
  not_acceptable: { status: 406, title: 'No offered representation is acceptable' },
  conflict: { status: 409, title: 'The request conflicts with the current state' },
  in_use: { status: 409, title: 'The resource is in use' },
  id_in_use: { status: 409, title: 'The id is in use' },
  external_id_in_use: { status: 409, title: 'The external id is in use' },
  transition_not_allowed: { status: 409, title: 'The ticket cannot go to this status' },
  ticket_closed: { status: 409, title: 'The ticket is closed for good' },
  position_expired: { status: 410, title: 'What followed this position is no longer known' },
  precondition_failed: { status: 412, title: 'The resource has changed' },
  payload_too_large: { status: 413, title: 'The request body is too large' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported' },
  too_many_requests: { status: 421, title: 'Too many requests' },
  idempotency_mismatch: { status: 422, title: 'The idempotency key was used with another request' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  unavailable: { status: 503, title: 'The service cannot answer right now' },
} as const satisfies Record<string, { status: number; title: string }>;

/** The stable name of an error, for programs. */
export type ErrorCode = keyof typeof catalogue;

/** One fault of the input: where (dotted path, or parameter name), a stable code, and a sentence. */
export interface FieldError {
  field: string;
  code: string;
  message: string;
}

/** What an error carries beside its code and message. */
export interface AppErrorOptions {
  /** Every fault of the input at once. */
  errors?: readonly FieldError[] | undefined;
  /** Response headers that belong to the failure, such as `Retry-After`. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Extension members of the problem document (RFC 9457 §3.2). */
  extensions?: Readonly<Record<string, unknown>> | undefined;
  /** Overrides the status of the catalogue, for a status that is a setting. */
  status?: number | undefined;
  cause?: unknown;
}

/** A failure whose message is safe to show to the caller. Anything else thrown is a bug and answers 500. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;
  readonly extensions: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = options.status ?? catalogue[code].status;
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
    this.extensions = options.extensions ?? {};
  }
}

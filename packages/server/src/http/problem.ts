import { AppError, catalogue, type FieldError } from '@keydesk/errors';

/** A problem document (RFC 9457 §3.1) with Keydesk's extension members `code`, `errors` and `request_id`. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  errors?: readonly FieldError[];
  [extension: string]: unknown;
}

/** Prefix of types without an explaining page. */
const URN = 'urn:keydesk:problem:';

/**
 * Converts any thrown value to a problem document. An `AppError` keeps its details and a 4xx error of Koa its status;
 * anything else is a bug and becomes 500 without details.
 *
 * @param typeBase prefix of `type` before the code, a URL if that is a page (RFC 9457 §3.1.1)
 */
export function toProblem(err: unknown, requestId: string, typeBase: string = URN): Problem {
  const known = toAppError(err);
  return {
    type: typeBase + known.code,
    title: catalogue[known.code].title,
    status: known.status,
    detail: known.message,
    code: known.code,
    request_id: requestId,
    ...(known.errors.length > 0 && { errors: known.errors }),
    ...known.extensions,
  };
}

/** Converts a thrown value to an `AppError` with the original as its cause. */
export function toAppError(err: unknown): AppError {
  if (err instanceof AppError) return err;
  const status = clientErrorStatus(err);
  if (status !== undefined) {
    return new AppError(codeOfStatus(status), 'The request could not be processed.', { status, cause: err });
  }
  return new AppError('internal_error', 'The failure has been logged under the request id.', { cause: err });
}

/** Returns the response headers of an error, with `Retry-After` (RFC 9110 §10.2.3) if the request may be repeated. */
export function toErrorHeaders({ headers, retryAfterSeconds }: AppError): Record<string, string> {
  return {
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    ...headers,
  };
}

/** Returns the status of a client error, which http-errors marks with `expose: true` and a 4xx `status`. */
function clientErrorStatus(err: unknown): number | undefined {
  if (!(err instanceof Error) || !('status' in err) || !('expose' in err) || err.expose !== true)
    return undefined;
  return typeof err.status === 'number' && err.status >= 400 && err.status < 500 ? err.status : undefined;
}

function codeOfStatus(status: number) {
  if (status === 413) return 'payload_too_large';
  if (status === 415) return 'unsupported_media_type';
  if (status === 404) return 'not_found';
  return 'invalid_request';
}

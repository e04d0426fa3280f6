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

/** Types without a page that explains them. */
const URN = 'urn:keydesk:problem:';

/**
 * Turns any thrown value into what the caller may see: an `AppError` speaks for itself, an error of Koa's own
 * 4xx kind keeps its status, and everything else is our bug, told as a bare 500.
 *
 * @param typeBase with the code behind it the `type`, a URL where that is a page (RFC 9457 §3.1.1)
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

/** The `AppError` a thrown value stands for; the original stays its cause. */
export function toAppError(err: unknown): AppError {
  if (err instanceof AppError) return err;
  const status = clientErrorStatus(err);
  if (status !== undefined) {
    return new AppError(codeOfStatus(status), 'The request could not be processed.', { status, cause: err });
  }
  return new AppError('internal_error', 'The failure has been logged under the request id.', { cause: err });
}

/** Koa and Node mark a caller's fault with `expose: true` and a 4xx `status` (http-errors). */
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

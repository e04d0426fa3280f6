import { AppError, type FieldError } from '@keydesk/errors';

/** Limits the reported faults, so that the response cannot be many times as long as the request. */
const MAX_BODY_FAULTS = 100;
export const MAX_PARAMETER_FAULTS = 20;

/** Builds the error for invalid data; lists every fault. */
export function invalidData(errors: readonly FieldError[]): AppError {
  return new AppError('validation_failed', 'The data is invalid; see errors.', { errors });
}

/** Builds the error for an invalid value of one member. */
export function invalidMember(field: string, message: string): AppError {
  return invalidData([{ field, code: 'invalid_value', message }]);
}

/** Builds the error for a body that does not match its schema; lists the first faults. */
export function invalidBody(faults: readonly FieldError[]): AppError {
  return listFirst('The data is invalid', faults, MAX_BODY_FAULTS);
}

/** Builds the error for invalid query parameters; lists the first faults. */
export function invalidParameters(faults: readonly FieldError[]): AppError {
  return listFirst('The query parameters are invalid', faults, MAX_PARAMETER_FAULTS);
}

/** Builds the error for an invalid value of one query parameter. */
export function invalidParameter(field: string, message: string): AppError {
  return invalidParameters([{ field, code: 'invalid_value', message }]);
}

function listFirst(problem: string, faults: readonly FieldError[], max: number): AppError {
  const errors = faults.slice(0, max);
  const more = faults.length - errors.length;
  const detail = `${problem}; see errors${more > 0 ? ` (${more} more are not shown)` : ''}.`;
  return new AppError('validation_failed', detail, { errors });
}

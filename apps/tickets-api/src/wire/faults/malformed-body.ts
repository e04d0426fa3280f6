import { AppError } from '@keydesk/errors';
import { type FieldPath, toFieldName } from './issue-faults.ts';

/** Maximum nesting of arrays, objects and elements; a resource needs four levels. */
export const MAX_DEPTH = 32;

/** Maximum number of values in a body. The largest resource has about 21,000: 200 custom fields of 100 texts each. */
export const MAX_VALUES = 25_000;

const MAX_MESSAGE_LENGTH = 300;

/** Builds the error for a body that cannot be parsed, so that its fields cannot be validated. */
export function malformedBody(message: string, cause?: unknown): AppError {
  return new AppError('malformed_body', shorten(message), { cause });
}

export function tooDeep(): AppError {
  return malformedBody(`The body is nested deeper than ${MAX_DEPTH} levels.`);
}

export function tooManyValues(): AppError {
  return malformedBody(`The body has more than ${MAX_VALUES} values.`);
}

/** Builds the error for a field that is given twice. */
export function duplicateField(path: FieldPath): AppError {
  return malformedAt(path, 'duplicate_field', 'is given more than once');
}

export function reservedName(path: FieldPath): AppError {
  return malformedAt(path, 'reserved_name', 'is a reserved name; use another name');
}

/** Truncates a message, because it may quote the body. */
function shorten(message: string): string {
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;
}

function malformedAt(path: FieldPath, code: string, message: string): AppError {
  const field = toFieldName(path);
  const errors = [{ field, code, message }];
  return new AppError('malformed_body', `The body cannot be read: ${field} ${message}.`, { errors });
}

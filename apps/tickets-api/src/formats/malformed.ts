import { AppError } from '@keydesk/http';
import { type FieldPath, toFieldName } from './field-path.ts';

/** How deep arrays, objects and elements may lie in each other; a resource needs four levels. */
export const MAX_DEPTH = 32;

/** How many values a body may have; the largest resource has some 21,000: 200 custom fields of 100 texts each. */
export const MAX_VALUES = 25_000;

const MAX_MESSAGE_LENGTH = 300;

/** The body can't be read at all, so that there is no telling what is wrong with its fields. */
export function malformed(message: string, cause?: unknown): AppError {
  return new AppError('malformed_body', shorten(message), { cause });
}

export function tooDeep(): AppError {
  return malformed(`The body is nested deeper than ${MAX_DEPTH} levels.`);
}

export function tooMany(): AppError {
  return malformed(`The body has more than ${MAX_VALUES} values.`);
}

/** The body says one thing twice, so that it can't be known what is meant. */
export function repeated(path: FieldPath): AppError {
  return malformedAt(path, 'duplicate_field', 'is given more than once');
}

export function reserved(path: FieldPath): AppError {
  return malformedAt(path, 'reserved_name', 'is a name that cannot be used');
}

/** Messages quote the body, which must not come back as a whole. */
function shorten(message: string): string {
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;
}

function malformedAt(path: FieldPath, code: string, message: string): AppError {
  const field = toFieldName(path);
  const errors = [{ field, code, message }];
  return new AppError('malformed_body', `The body cannot be read: ${field} ${message}.`, { errors });
}

import { AppError } from '@keydesk/errors';

/** Creates the error of a write that the disk refuses; SQLite does not distinguish a full disk from a read-only one. */
export function createUnwritableError(cause: unknown): AppError {
  return new AppError(
    'unavailable',
    'The storage is full or read-only; nothing can be written until its operator has corrected that.',
    { retryAfterSeconds: 30, cause },
  );
}

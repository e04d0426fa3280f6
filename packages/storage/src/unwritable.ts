import { AppError } from '@keydesk/errors';

/** Creates the error of a write that the disk refuses; SQLite does not distinguish a full disk from a read-only one. */
export function createUnwritableError(cause: unknown): AppError {
  return new AppError(
    'unavailable',
    'The storage is full or read-only; retry after its operator has made it writable.',
    { retryAfterSeconds: 30, cause },
  );
}

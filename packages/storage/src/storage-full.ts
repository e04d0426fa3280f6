import { AppError } from '@keydesk/errors';

/** Creates the error of a write that fails for lack of disk space. */
export function createStorageFullError(cause: unknown): AppError {
  return new AppError('unavailable', 'The storage is full; nothing can be written until space is freed.', {
    retryAfterSeconds: 30,
    cause,
  });
}

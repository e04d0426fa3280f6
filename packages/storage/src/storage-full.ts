import { AppError } from '@keydesk/errors';

/** The error of every write that finds no room, whatever it was to be stored in. */
export function storageFull(cause: unknown): AppError {
  return new AppError('unavailable', 'Nothing can be stored right now, because the storage is full.', {
    headers: { 'Retry-After': '30' },
    cause,
  });
}

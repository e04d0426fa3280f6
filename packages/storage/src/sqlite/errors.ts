import { AppError } from '@keydesk/errors';
import { createUnwritableError } from '../unwritable.ts';

const SQLITE_BUSY = 5;

/** Result codes of engine failures: locked, out of memory or disk, unreadable, damaged. */
const engineFailures: ReadonlySet<number | undefined> = new Set([
  SQLITE_BUSY,
  6,
  7,
  8,
  9,
  10,
  11,
  13,
  14,
  15,
  26,
]);

/** Whether another connection holds the requested lock. */
export function isBusy(err: unknown): boolean {
  return primaryCode(err) === SQLITE_BUSY;
}

const SQLITE_READONLY = 8;
const SQLITE_FULL = 13;
const SQLITE_IOERR_WRITE = 778;
const SQLITE_IOERR_SHMOPEN = 4618;
const SQLITE_IOERR_SHMSIZE = 4874;

/** Whether the shared memory file, by which processes share the index of the log, cannot be created. */
export function isSharedMemoryUnavailable(err: unknown): boolean {
  return [SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE].includes(resultCode(err) ?? 0);
}

/** Whether the disk refused a write: it is full or read-only, or a quota or limit of the process was reached. */
function isUnwritable(err: unknown): boolean {
  return (
    [SQLITE_READONLY, SQLITE_FULL].includes(primaryCode(err) ?? 0) ||
    resultCode(err) === SQLITE_IOERR_WRITE ||
    isSharedMemoryUnavailable(err)
  );
}

/**
 * Converts engine failures to `unavailable` with the original error as cause. Other errors are returned unchanged:
 * invalid statements and violated constraints are bugs or errors of the domain.
 */
export function toStorageError(err: unknown): unknown {
  const code = primaryCode(err);
  if (!engineFailures.has(code)) return err;
  if (isUnwritable(err)) return createUnwritableError(err);
  const message = code === SQLITE_BUSY ? 'The database is busy' : 'The database is temporarily unavailable';
  return new AppError('unavailable', `${message}; retry shortly.`, {
    retryAfterSeconds: 1,
    cause: err,
  });
}

/** Returns the primary result code, the low byte of the reported one. */
function primaryCode(err: unknown): number | undefined {
  const code = resultCode(err);
  return code === undefined ? undefined : code & 0xff;
}

function resultCode(err: unknown): number | undefined {
  const isFromSqlite = err instanceof Error && 'errcode' in err && typeof err.errcode === 'number';
  return isFromSqlite ? Number(err.errcode) : undefined;
}

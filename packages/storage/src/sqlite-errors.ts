import { AppError } from '@keydesk/errors';
import { storageFull } from './storage-full.ts';

const SQLITE_BUSY = 5;

/** Result codes of an engine that cannot do its work: locked, out of memory or disk, unreadable, damaged. */
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

/** Whether another connection holds the lock that was asked for. */
export function isBusy(err: unknown): boolean {
  return primaryCode(err) === SQLITE_BUSY;
}

const SQLITE_FULL = 13;
const SQLITE_IOERR_WRITE = 778;
const SQLITE_IOERR_SHMOPEN = 4618;
const SQLITE_IOERR_SHMSIZE = 4874;

/** Whether there is no room for the file by which processes share the index of the log. */
export function lacksSharedMemory(err: unknown): boolean {
  return [SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE].includes(resultCode(err) ?? 0);
}

/** Whether there was no room for what was to be written: a full disk, a quota or a limit of the process. */
function lacksRoom(err: unknown): boolean {
  return primaryCode(err) === SQLITE_FULL || resultCode(err) === SQLITE_IOERR_WRITE || lacksSharedMemory(err);
}

/**
 * What storage tells about a failure: `unavailable`, with the engine's error as its cause, when the engine failed. A
 * faulty statement or a violated constraint is a bug, and anything else a domain's own error: both stay as they are.
 */
export function toStorageError(err: unknown): unknown {
  const code = primaryCode(err);
  if (!engineFailures.has(code)) return err;
  if (lacksRoom(err)) return storageFull(err);
  const message = code === SQLITE_BUSY ? 'The database is busy' : 'The database cannot answer right now';
  return new AppError('unavailable', `${message}; try again shortly.`, {
    headers: { 'Retry-After': '1' },
    cause: err,
  });
}

/** The primary result code: the low byte of what `node:sqlite` reports. */
function primaryCode(err: unknown): number | undefined {
  const code = resultCode(err);
  return code === undefined ? undefined : code & 0xff;
}

function resultCode(err: unknown): number | undefined {
  const isFromSqlite = err instanceof Error && 'errcode' in err && typeof err.errcode === 'number';
  return isFromSqlite ? Number(err.errcode) : undefined;
}

import { AppError } from '@keydesk/errors';

/** Request that its sender may repeat without further effect. Its members reveal neither the key nor the data. */
export interface RepeatableRequest {
  /** Digest of caller and key, or the id that the client chose for the new resource. */
  key: string;
  /** Digest of method, path and input; the same for every repetition. */
  fingerprint: string;
}

/** Stored record of a repeatable request. */
export interface RequestRecord extends RepeatableRequest {
  /** Time of the request, in milliseconds since 1970. Records that have expired by then are ignored. */
  at: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const RETENTION_DAYS = 1;
/** A mobile device may be offline for weeks between two attempts. */
const ID_RETENTION_DAYS = 30;

/** Creates the record of a request. */
export function toRequestRecord(request: RepeatableRequest, now: Date): RequestRecord {
  const at = now.getTime();
  const days = isIdKey(request.key) ? ID_RETENTION_DAYS : RETENTION_DAYS;
  return { ...request, at, expiresAt: at + days * DAY_MS };
}

/** Returns the key of the request that created the resource with this id, by any caller. */
export function toIdKey(resource: 'ticket' | 'reply', id: string): string {
  return `${resource}:${id}`;
}

/** Whether the key is that of an id: digests in base64url have no colon. */
function isIdKey(key: string): boolean {
  return key.includes(':');
}

/** Builds the error for a key that was used with another request. */
export function keyReused(key: string): AppError {
  if (isIdKey(key)) return idInUse();
  return new AppError(
    'idempotency_mismatch',
    'This Idempotency-Key was used with another request; send a new key with a new request.',
  );
}

/** Builds the error for a chosen id that another resource has or had. */
export function idInUse(cause?: unknown): AppError {
  return new AppError('id_in_use', 'This id is or was in use; choose a new random one.', { cause });
}

/** Builds the error for a key whose first request has no outcome yet. */
export function requestInFlight(): AppError {
  return new AppError(
    'conflict',
    'A request with this Idempotency-Key is still in flight; retry after a second.',
    {
      retryAfterSeconds: 1,
    },
  );
}

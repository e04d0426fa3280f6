import { AppError } from '@keydesk/http';

/** A request that its sender may repeat without effect. Its members reveal neither the key nor the data. */
export interface RepeatableRequest {
  /** Digest of the caller and its key, or the id that the client chose for what it creates. */
  key: string;
  /** Digest of what is asked for: the same for every repetition. */
  fingerprint: string;
}

/** What a store keeps of a repeatable request, beside the resource that it made. */
export interface RequestRecord extends RepeatableRequest {
  /** When the request came, in milliseconds since 1970: a record that has expired by then counts for nothing. */
  at: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_DAYS = 1;
/** A phone may be offline for a while between an attempt and the next. */
const KEPT_DAYS_BY_ID = 30;

/** The record of a request that came at this time. */
export function toRequestRecord(request: RepeatableRequest, now: Date): RequestRecord {
  const at = now.getTime();
  const days = isIdKey(request.key) ? KEPT_DAYS_BY_ID : KEPT_DAYS;
  return { ...request, at, expiresAt: at + days * DAY_MS };
}

/** The key of the request that created the resource with this id, whoever sent it. */
export function toIdKey(resource: 'ticket' | 'reply', id: string): string {
  return `${resource}:${id}`;
}

/** No digest in base64url has a colon. */
function isIdKey(key: string): boolean {
  return key.includes(':');
}

/** The key came with another request before. */
export function usedOtherwise(key: string): AppError {
  if (isIdKey(key)) return idInUse();
  return new AppError(
    'idempotency_mismatch',
    'This Idempotency-Key was used with another request; a new request needs a new key.',
  );
}

/** The id of a new resource names another, or one that is gone. */
export function idInUse(cause?: unknown): AppError {
  return new AppError('id_in_use', 'The id is, or was, in use; choose a new random one.', { cause });
}

/** Nobody knows yet what becomes of the request that came first under the key. */
export function stillInFlight(): AppError {
  return new AppError('conflict', 'A request with this Idempotency-Key is still in flight; try again.', {
    headers: { 'Retry-After': '1' },
  });
}

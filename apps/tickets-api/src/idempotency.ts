import { AppError } from '@keydesk/http';

/** A request that its sender may repeat without effect. Neither member tells the key or the data. */
export interface RepeatableRequest {
  /** Digest of the caller and its key. */
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

const KEPT_MS = 24 * 60 * 60 * 1000;

/** The record of a request that came at this time. */
export function toRequestRecord(request: RepeatableRequest, now: Date): RequestRecord {
  const at = now.getTime();
  return { ...request, at, expiresAt: at + KEPT_MS };
}

/** The key came with another request before. */
export function usedOtherwise(): AppError {
  return new AppError(
    'idempotency_mismatch',
    'This Idempotency-Key was used with another request; a new request needs a new key.',
  );
}

/** Nobody knows yet what becomes of the request that came first under the key. */
export function stillInFlight(): AppError {
  return new AppError('conflict', 'A request with this Idempotency-Key is still in flight; try again.', {
    headers: { 'Retry-After': '1' },
  });
}

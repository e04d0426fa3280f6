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

/** What became of an insertion. `replayed`: the same request made `resource` before, which is told as it was then. */
export type Insertion<Resource> =
  | { outcome: 'inserted' | 'replayed'; resource: Resource }
  | { outcome: 'mismatch' };

export interface FirstAnswer<Resource> {
  resource: Resource;
  /** `true`: an earlier request made it, and this one nothing. */
  isReplayed: boolean;
}

const KEPT_MS = 24 * 60 * 60 * 1000;

/** The record of a request that came at this time. */
export function toRequestRecord(request: RepeatableRequest, now: Date): RequestRecord {
  const at = now.getTime();
  return { ...request, at, expiresAt: at + KEPT_MS };
}

/** @throws {AppError} `idempotency_mismatch` when the key was used with another request */
export function toFirstAnswer<Resource>(insertion: Insertion<Resource>): FirstAnswer<Resource> {
  if (insertion.outcome === 'mismatch') {
    throw new AppError(
      'idempotency_mismatch',
      'This Idempotency-Key was used with another request; a new request needs a new key.',
    );
  }
  return { resource: insertion.resource, isReplayed: insertion.outcome === 'replayed' };
}

import type { CommitOutcome, RecordedRequest } from '../commit/ticket-commit.ts';
import type { Identity, PersonRecord, Role } from './person.ts';
import type { PersonPosition, PersonSort } from './person-order.ts';

export interface PersonQuery {
  /** Prefix in lower case of an email address, the name or a later word of the name. */
  prefix?: string | undefined;
  /** Only people whose latest sign-in had one of these roles, up to three; null: people who never signed in. */
  roles?: readonly (Role | null)[] | undefined;
  /** Order of the list; the default is by address. A query with a prefix supports only the default field. */
  sort?: PersonSort | undefined;
  /** The page starts after this position (`toPersonPosition`). */
  after?: PersonPosition | undefined;
  /** Maximum number of people; at least 1. */
  limit: number;
}

/** Addition or replacement of one person. */
export interface PersonWrite {
  /** The stored version that is replaced; `undefined`: the person is new. */
  expectedVersion?: number | undefined;
  record: PersonRecord;
}

/** Store of people. Failures of the engine reject with `AppError('unavailable')`. */
export interface PersonStore {
  /**
   * Writes all people in one transaction, or none. An address or identity belongs to at most one person: of concurrent
   * writes that add the same one, in any process, exactly one succeeds. The same is true for writes with the same
   * `expectedVersion`. An address or identity may move between people of one write.
   *
   * @returns `false` when a version is not the expected one, or an id, address or identity belongs to another person;
   * read again
   */
  write(writes: readonly PersonWrite[]): Promise<boolean>;
  /**
   * Writes people as `write` does, with the record of the request in the same transaction; `stale` when `write` returns
   * `false`. A recorded request is replayed even if the writes are now stale. Of concurrent requests with one key
   * exactly one commits.
   */
  commit(writes: readonly PersonWrite[], request: RecordedRequest | undefined): Promise<CommitOutcome>;
  find(id: string): Promise<PersonRecord | undefined>;
  /** Returns the existing people, in no order. */
  findAll(ids: readonly string[]): Promise<readonly PersonRecord[]>;
  /** Returns the person with this address. @param email in lower case */
  findByEmail(email: string): Promise<PersonRecord | undefined>;
  /** Returns the people who have one of these addresses, each once, in no order. @param emails in lower case */
  findByEmails(emails: readonly string[]): Promise<readonly PersonRecord[]>;
  findByIdentity(identity: Identity): Promise<PersonRecord | undefined>;
  /** Returns up to `limit` people with a `pendingMerge`, in no order. Served by an index. */
  listPendingMerges(limit: number): Promise<readonly PersonRecord[]>;
  /** Returns up to `limit` people with a `maskingSince`, in no order. Served by an index. */
  listPendingMaskings(limit: number): Promise<readonly PersonRecord[]>;
  /** Returns people in order, ties broken by id in the same direction. Served by an index. */
  list(query: PersonQuery): Promise<readonly PersonRecord[]>;
  /** Returns the number of people on all pages of a list, up to its limit. */
  count(query: Omit<PersonQuery, 'after' | 'sort'>): Promise<number>;
}

import type { CommitOutcome, RecordedRequest } from '../commit/ticket-commit.ts';
import type { Identity, PersonRecord, Role } from './person.ts';
import type { PersonPosition, PersonSort } from './person-order.ts';

export interface PersonQuery {
  /** In lower case: what an e-mail address, the name or a later word of the name begins with. */
  prefix?: string | undefined;
  /** Only people whose latest sign-in had one of these roles, up to three; null: people who never signed in. */
  roles?: readonly (Role | null)[] | undefined;
  /** By default in order of address. With a prefix there is no other field. */
  sort?: PersonSort | undefined;
  /** The page begins just behind this position (`toPersonPosition`). */
  after?: PersonPosition | undefined;
  /** At least 1. */
  limit: number;
}

/** One person who is added or replaced. */
export interface PersonWrite {
  /** The stored version that is replaced; `undefined`: the person is new. */
  expectedVersion?: number | undefined;
  record: PersonRecord;
}

/** What the API needs of a database of people. Failures of the engine reject with `AppError('unavailable')`. */
export interface PersonStore {
  /**
   * Writes all of it in one transaction, or nothing. An address and an identity each belong to one person at most:
   * of racers in any process that add the same one exactly one succeeds, and so does one of those with the same
   * `expectedVersion`. An address or identity may move between people of one write.
   *
   * @returns `false` when a version is not the expected one, or an id, address or identity is another's: read again
   */
  write(writes: readonly PersonWrite[]): Promise<boolean>;
  /**
   * The same, with the record of the request in the transaction; `stale` where `write` resolves `false`. A request that was
   * committed before is replayed, also where the writes are stale by now; of racers with one key exactly one commits.
   */
  commit(writes: readonly PersonWrite[], request: RecordedRequest | undefined): Promise<CommitOutcome>;
  find(id: string): Promise<PersonRecord | undefined>;
  /** Those that exist, in no order. */
  findAll(ids: readonly string[]): Promise<readonly PersonRecord[]>;
  /** @param email in lower case */
  findByEmail(email: string): Promise<PersonRecord | undefined>;
  /** People who have one of these addresses, each once, in no order. @param emails in lower case */
  findByEmails(emails: readonly string[]): Promise<readonly PersonRecord[]>;
  findByIdentity(identity: Identity): Promise<PersonRecord | undefined>;
  /** Up to `limit` people with a `pendingMerge`, in no order. Served by an index. */
  listPendingMerges(limit: number): Promise<readonly PersonRecord[]>;
  /** Up to `limit` people with a `maskingSince`, in no order. Served by an index. */
  listPendingMaskings(limit: number): Promise<readonly PersonRecord[]>;
  /** Returns people in order, ties broken by id in the same direction. Served by an index. */
  list(query: PersonQuery): Promise<readonly PersonRecord[]>;
  /** The number of people that a list finds on all its pages, up to its limit. */
  count(query: Omit<PersonQuery, 'after' | 'sort'>): Promise<number>;
}

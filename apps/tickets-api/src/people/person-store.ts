import type { Person } from './person.ts';

export interface PersonQuery {
  /** In lower case: what the e-mail address, the name or a later word of the name begins with. */
  prefix?: string;
  /** The page begins just behind this e-mail address. */
  after?: string;
  /** At least 1. */
  limit: number;
}

/** What the API needs to know of people. Failures of the engine reject with `AppError('unavailable')`. */
export interface PersonStore {
  /**
   * The person with the e-mail address of `candidate`, who is added when there is none: of racers in any process exactly
   * one adds, and all get the same person. A name is kept where none was known before, and never replaced.
   */
  ensure(candidate: Person): Promise<Person>;
  find(id: string): Promise<Person | undefined>;
  /** Those that there are, in no order. */
  findAll(ids: readonly string[]): Promise<readonly Person[]>;
  /** @param email in lower case */
  findByEmail(email: string): Promise<Person | undefined>;
  /** In order of e-mail address. Served by an index. */
  list(query: PersonQuery): Promise<readonly Person[]>;
}

import type { Registration } from './registration.ts';

/**
 * What registrations need of a database. Safe under many processes; writes resolve when durable; failures of the
 * engine reject with `AppError('unavailable')`.
 */
export interface RegistrationStore {
  insert(registration: Registration): Promise<void>;
  find(clientId: string): Promise<Registration | undefined>;
  /** Compare-and-set of the token's digest: of those who race with the same token, exactly one gets `true`. */
  replaceToken(clientId: string, expectedDigest: string, digest: string): Promise<boolean>;
  /** Records that the client got a token; an earlier time never replaces a later one. Others' clients are ignored. */
  touch(clientId: string, at: Date): Promise<void>;
  /** Up to `limit` registrations whose client has not been active since before `before`, the longest idle first. */
  listIdle(before: Date, limit: number): Promise<readonly Registration[]>;
  /** `false` when there was none. */
  remove(clientId: string): Promise<boolean>;
}

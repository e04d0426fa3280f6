import type { CommitOutcome } from '../commit/ticket-commit.ts';
import type { AuditedWrite } from '../history/audited-write.ts';
import type { RoleRecord } from './role.ts';

/** Store of the roles that were changed. Failures of the engine reject with `AppError('unavailable')`. */
export interface RoleStore {
  /** Every stored role, in no order. */
  list(): Promise<readonly RoleRecord[]>;
  /**
   * Replaces a role, and writes its event and the record of its request in one transaction, or replays a request that
   * was committed before; `stale` when it is not at this version. A role that is not stored is at version 1. Of racers
   * exactly one commits.
   */
  replace(role: RoleRecord, expectedVersion: number, audited?: AuditedWrite): Promise<CommitOutcome>;
}

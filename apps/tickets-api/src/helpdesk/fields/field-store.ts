import type { CommitOutcome } from '../commit/ticket-commit.ts';
import type { AuditedWrite } from '../history/audited-write.ts';
import type { TicketField } from './ticket-field.ts';

/**
 * Store of definitions of custom fields. Values belong to tickets, and don't change with a definition. Failures of the engine reject with `AppError('unavailable')`.
 */
export interface FieldStore {
  /** Every definition, in no order. */
  list(): Promise<readonly TicketField[]>;
  find(id: string): Promise<TicketField | undefined>;
  /**
   * Adds a definition, its event and the record of its request in one transaction, or replays a request that was
   * committed before; never `stale`. Of racers with one key exactly one commits.
   *
   * @throws {AppError} `conflict` when the key is in use, or when there are `MAX_FIELDS` already; of racers for the last
   * place exactly one gets it
   */
  add(field: TicketField, audited?: AuditedWrite): Promise<CommitOutcome>;
  /**
   * Replaces a definition, and writes its event and the record of its request in one transaction, or replays that as
   * `add` does; `stale` when it is not there at this version. Of racers exactly one commits.
   */
  replace(field: TicketField, expectedVersion: number, audited?: AuditedWrite): Promise<CommitOutcome>;
  /** The same, but removes it. */
  remove(id: string, expectedVersion: number, audited?: AuditedWrite): Promise<CommitOutcome>;
}

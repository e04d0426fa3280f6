import type { CommitOutcome, RecordedRequest } from '../tickets/ticket-commit.ts';
import type { TicketField } from './ticket-field.ts';

/**
 * What the API needs of a database of definitions of custom fields. Of values it knows nothing: those are of tickets,
 * and stay as they are whatever becomes of a definition. Failures of the engine reject with `AppError('unavailable')`.
 */
export interface FieldStore {
  /** Every definition, in no order. */
  list(): Promise<readonly TicketField[]>;
  find(id: string): Promise<TicketField | undefined>;
  /**
   * Adds a definition and the record of its request in one transaction, or replays a request that was committed before;
   * never `stale`. Of racers with one key exactly one commits.
   *
   * @throws {AppError} `conflict` when the key is in use, or when there are `MAX_FIELDS` already; of racers for the last
   * place exactly one gets it
   */
  add(field: TicketField, request?: RecordedRequest): Promise<CommitOutcome>;
  /** `false`: it is not there at this version, and nothing was written. Of racers exactly one gets `true`. */
  replace(field: TicketField, expectedVersion: number): Promise<boolean>;
  /** `false`: it is not there at this version. */
  remove(id: string, expectedVersion: number): Promise<boolean>;
}

import type { CommitOutcome } from '../commit/ticket-commit.ts';
import type { AuditedWrite } from '../history/audited-write.ts';
import type { Definition, DefinitionRef } from './definition.ts';

/**
 * Store of statuses, types and priorities. It holds the added definitions and the changed built-in ones. Failures of the engine reject with `AppError('unavailable')`.
 *
 * A ticket never has an undefined status, type or priority: `TicketStore.commit` rejects a commit that chooses one
 * (`TicketCommit.chosen`) which is not stored, or is being replaced, whichever process writes at the same time.
 */
export interface DefinitionStore {
  /** Every stored definition, in no order. */
  list(): Promise<readonly Definition[]>;
  find(ref: DefinitionRef): Promise<Definition | undefined>;
  /**
   * Adds a definition, its event and the record of its request in one transaction, or replays a request that was
   * committed before; never `stale`. Of racers with one id exactly one commits.
   *
   * @throws {AppError} `conflict` when the id is in use, or when there are `maxAdded` of the kind already; of racers for
   * the last place exactly one gets it
   */
  add(definition: Definition, audited?: AuditedWrite): Promise<CommitOutcome>;
  /**
   * Replaces a definition, and writes its event and the record of its request in one transaction, or replays that as
   * `add` does; `stale` when it is not there at this version. A built-in one that is not stored is at version 1. Of
   * racers exactly one commits.
   *
   * @throws {AppError} `conflict` for one that is to be `replaced_by` another which is neither built in nor stored, or is
   * being replaced itself; and when it is itself to take the place of a third
   */
  replace(definition: Definition, expectedVersion: number, audited?: AuditedWrite): Promise<CommitOutcome>;
  /**
   * The same, but removes it.
   *
   * @throws {AppError} `in_use` when a ticket has it, deleted or not; `conflict` when it is to take the place of another
   */
  remove(ref: DefinitionRef, expectedVersion: number, audited?: AuditedWrite): Promise<CommitOutcome>;
}

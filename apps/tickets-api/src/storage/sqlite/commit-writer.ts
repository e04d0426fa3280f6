import type { Sqlite } from '@keydesk/storage/sqlite';
import { idInUse } from '../../helpdesk/commit/idempotency.ts';
import type { TicketCommit } from '../../helpdesk/commit/ticket-commit.ts';
import { createChangeWriter } from './change-store.ts';
import { StaleVersion } from './commit-once.ts';
import { createDefinitionGuard } from './definition-store.ts';
import { createEventWriter } from './event-store.ts';
import { createClaimCheck } from './external-ids.ts';
import { createReplyWriter } from './reply-store.ts';
import { createRetiredIds } from './retired-ids.ts';
import { createTextWriter } from './text-writer.ts';
import { createTicketWriter } from './ticket-writer.ts';

/**
 * Writes commits within one transaction, which must be rolled back if this throws.
 *
 * @throws {StaleVersion} when a version is not the expected one, or another ticket has an external id
 * @throws {AppError} `id_in_use` when the id of a new ticket or reply is or was in use; `validation_failed` when a chosen status,
 * type or priority is removed or being replaced
 */
export type CommitWriter = (commits: readonly TicketCommit[]) => void;

export function createCommitWriter(sqlite: Sqlite, clock: { now: () => Date }): CommitWriter {
  const tickets = createTicketWriter(sqlite);
  const isClaimed = createClaimCheck(sqlite);
  const replies = createReplyWriter(sqlite);
  const retired = createRetiredIds(sqlite);
  const texts = createTextWriter(sqlite);
  const assertChoosable = createDefinitionGuard(sqlite);
  const addEvents = createEventWriter(sqlite);
  const addChanges = createChangeWriter(sqlite, clock);

  /** Writes a ticket; returns its row, or `undefined` after a purge. */
  function writeTicket({ id, expectedVersion, record }: TicketCommit): number | undefined {
    if (record && isClaimed(record)) throw new StaleVersion();
    if (expectedVersion === undefined) {
      const seq = record && tickets.insert(record);
      if (seq === undefined) throw idInUse();
      return seq;
    }
    const seq = record ? tickets.replace(record, expectedVersion) : tickets.purge(id, expectedVersion);
    if (seq === undefined) throw new StaleVersion();
    return record && seq;
  }

  function writeOne(commit: TicketCommit): void {
    const { chosenId, chosen = [], writtenReplies = [], removedReplies = [], events, feedEntries } = commit;
    assertChoosable(chosen);
    if (chosenId !== undefined && retired.has(chosenId)) throw idInUse();
    const seq = writeTicket(commit);
    if (seq !== undefined) {
      replies.put(seq, writtenReplies);
      replies.remove(seq, removedReplies);
      if (commit.record) texts.put(seq, commit.record.ticket, commit);
      addEvents(seq, events);
    }
    addChanges(feedEntries);
  }

  return (commits) => {
    for (const commit of commits) writeOne(commit);
  };
}

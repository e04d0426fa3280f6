import { AppError } from '@keydesk/http';
import type { Sqlite } from '@keydesk/storage/sqlite';
import type { CommitOutcome, TicketCommit } from '../../tickets/ticket-commit.ts';
import { type ChangeWriter, createChangeWriter } from './change-store.ts';
import { createEventWriter } from './event-store.ts';
import { createReplyWriter } from './reply-store.ts';
import { createTicketWriter } from './ticket-writer.ts';

/**
 * Writes commits inside one transaction: all of them, or none where a version is stale.
 *
 * @throws {AppError} `conflict` when the id of a new ticket is in use; the transaction is to be rolled back
 */
export type CommitWriter = (commits: readonly TicketCommit[]) => CommitOutcome;

export function createCommitWriter(sqlite: Sqlite, clock: { now: () => Date }): CommitWriter {
  const tickets = createTicketWriter(sqlite);
  const replies = createReplyWriter(sqlite);
  const addEvents = createEventWriter(sqlite);
  const addChanges: ChangeWriter = createChangeWriter(sqlite, clock);
  const selectVersion = sqlite.prepare('SELECT version FROM tickets WHERE id = ?');

  function isStale({ id, expectedVersion }: TicketCommit): boolean {
    return expectedVersion !== undefined && selectVersion.get(id)?.version !== expectedVersion;
  }

  function writeOne(commit: TicketCommit): void {
    const {
      id,
      expectedVersion,
      record,
      writtenReplies = [],
      removedReplies = [],
      events,
      sightings,
    } = commit;
    if (record) {
      const seq = expectedVersion === undefined ? tickets.insert(record) : tickets.replace(record);
      if (seq === undefined) throw new AppError('conflict', 'There is a ticket with this id already.');
      replies.put(seq, writtenReplies);
      replies.remove(seq, removedReplies);
      addEvents(seq, events);
    } else {
      tickets.purge(id);
    }
    addChanges(sightings);
  }

  return (commits) => {
    if (commits.some(isStale)) return { outcome: 'stale' };
    for (const commit of commits) writeOne(commit);
    return { outcome: 'committed' };
  };
}

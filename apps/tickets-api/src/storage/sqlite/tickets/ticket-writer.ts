import type { Sqlite } from '@keydesk/storage/sqlite';
import { idInUse } from '../../../helpdesk/commit/idempotency.ts';
import type { TicketCommit, TicketRecord } from '../../../helpdesk/commit/ticket-commit.ts';
import { listReaders } from '../../../helpdesk/tickets/ticket.ts';
import { createDefinitionGuard } from '../catalogues/definitions.ts';
import { StaleVersion } from '../commit/commit-once.ts';
import { createEventWriter } from '../commit/events.ts';
import { createFeedWriter } from '../feed/changes.ts';
import { createReplyWriter } from './replies.ts';
import { createRetiredIds } from './retired-ids.ts';
import { createTagCounter } from './tags.ts';
import { createTextWriter } from './texts.ts';
import type { TicketReader } from './ticket-reader.ts';

/**
 * Writes commits within one transaction, which must be rolled back if this throws.
 *
 * @throws {StaleVersion} when a version is not the expected one, or another ticket has an external id
 * @throws {AppError} `id_in_use` when the id of a new ticket or reply is or was in use; `validation_failed` when a
 *   chosen status, type or priority is removed or being replaced
 */
export type TicketWriter = (commits: readonly TicketCommit[]) => void;

export function createTicketWriter(
  sqlite: Sqlite,
  { now, forget }: { now: () => Date } & Pick<TicketReader, 'forget'>,
): TicketWriter {
  const tickets = createTicketRows(sqlite, forget);
  const isClaimed = createClaimCheck(sqlite);
  const replies = createReplyWriter(sqlite);
  const retired = createRetiredIds(sqlite);
  const texts = createTextWriter(sqlite);
  const assertChoosable = createDefinitionGuard(sqlite);
  const addEvents = createEventWriter(sqlite);
  const addChanges = createFeedWriter(sqlite, { now });

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

/** Changes the tables of tickets, within one transaction. */
interface TicketRows {
  /** Inserts a ticket; returns its `seq`, or `undefined` if its id is in use. */
  insert(record: TicketRecord): number | undefined;
  /** Replaces a ticket; returns its `seq`, or `undefined` if it is not at this version. */
  replace(record: TicketRecord, expectedVersion: number): number | undefined;
  /** Deletes a ticket with all its rows; returns its former `seq`, or `undefined` if it is not at this version. */
  purge(id: string, expectedVersion: number): number | undefined;
}

function createTicketRows(sqlite: Sqlite, forget: TicketReader['forget']): TicketRows {
  const { prepare } = sqlite;
  const tags = createTagCounter(sqlite);
  const retired = createRetiredIds(sqlite);
  const insert = prepare(`
    INSERT INTO tickets (
      id, version, status, priority, type, requester, assignee, created_at, updated_at, document,
      public_version, public_updated_at, solved_at, deleted_at, external_id_client, staff_ids)
    VALUES (
      :id, :version, :status, :priority, :type, :requester, :assignee, :createdAt, :updatedAt, :document,
      :publicVersion, :publicUpdatedAt, :solvedAt, :deletedAt, :externalIdClient, :staffIds)
    ON CONFLICT (id) DO NOTHING`);
  const selectSeq = prepare('SELECT seq FROM tickets WHERE id = ? AND version = ?');
  const update = prepare(`
    UPDATE tickets SET
      version = :version, status = :status, priority = :priority, type = :type, requester = :requester,
      assignee = :assignee, created_at = :createdAt, updated_at = :updatedAt, document = :document,
      public_version = :publicVersion, public_updated_at = :publicUpdatedAt, solved_at = :solvedAt,
      deleted_at = :deletedAt, external_id_client = :externalIdClient, staff_ids = :staffIds
    WHERE id = :id`);
  const remove = prepare('DELETE FROM tickets WHERE seq = ?');
  const removeRequests = prepare('DELETE FROM request_records WHERE ticket_id = ?');
  const insertTag = prepare(`
    INSERT INTO ticket_tags (seq, tag, id, status, priority, created_at, updated_at, deleted_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const removeTags = prepare('DELETE FROM ticket_tags WHERE seq = ?');
  const insertReader = prepare(`
    INSERT INTO ticket_readers (seq, person_id, id, created_at, public_updated_at, due_at)
    VALUES (?, ?, ?, ?, ?, ?)`);
  const removeReaders = prepare('DELETE FROM ticket_readers WHERE seq = ?');

  function addTagsAndReaders(seq: number, { ticket, publicUpdatedAt }: TicketRecord): void {
    const { id, status, priority, created_at, updated_at, deleted_at } = ticket;
    const createdAt = Date.parse(created_at);
    const times = [createdAt, Date.parse(updated_at), toMilliseconds(deleted_at)] as const;
    for (const tag of ticket.tags) insertTag.run(seq, tag, id, status, priority, ...times);
    for (const reader of listReaders(ticket)) {
      insertReader.run(seq, reader, id, createdAt, Date.parse(publicUpdatedAt), ticket.due_at);
    }
  }

  function findSeq(id: string, version: number): number | undefined {
    const row = selectSeq.get(id, version);
    return row && Number(row.seq);
  }

  return {
    insert(record) {
      const { changes, lastInsertRowid } = insert.run(toRow(record));
      if (changes === 0) return undefined;
      addTagsAndReaders(Number(lastInsertRowid), record);
      tags.recount([], countedTags(record));
      return Number(lastInsertRowid);
    },
    replace(record, expectedVersion) {
      const seq = findSeq(record.ticket.id, expectedVersion);
      if (seq === undefined) return undefined;
      forget(seq);
      tags.recount(tags.counted(seq), countedTags(record));
      update.run(toRow(record));
      removeTags.run(seq);
      removeReaders.run(seq);
      addTagsAndReaders(seq, record);
      return seq;
    },
    purge(id, expectedVersion) {
      const seq = findSeq(id, expectedVersion);
      if (seq === undefined) return undefined;
      forget(seq);
      tags.recount(tags.counted(seq), []);
      retired.retireTicket(seq, id);
      remove.run(seq);
      removeRequests.run(id);
      return seq;
    },
  };
}

function countedTags({ ticket }: TicketRecord): readonly string[] {
  return ticket.deleted_at === null ? ticket.tags : [];
}

function toRow({ ticket, publicVersion, publicUpdatedAt, externalIdClient, staffIds }: TicketRecord) {
  return {
    id: ticket.id,
    version: ticket.version,
    status: ticket.status,
    priority: ticket.priority,
    type: ticket.type,
    requester: ticket.requester?.id ?? null,
    assignee: ticket.assignee?.id ?? null,
    createdAt: Date.parse(ticket.created_at),
    updatedAt: Date.parse(ticket.updated_at),
    document: JSON.stringify(ticket),
    publicVersion,
    publicUpdatedAt: Date.parse(publicUpdatedAt),
    solvedAt: toMilliseconds(ticket.solved_at),
    deletedAt: toMilliseconds(ticket.deleted_at),
    externalIdClient: externalIdClient ?? null,
    staffIds: staffIds ? JSON.stringify(staffIds) : null,
  };
}

function toMilliseconds(time: string | null): number | null {
  return time === null ? null : Date.parse(time);
}

/**
 * Whether another ticket has the external id of this one within its client, checked within the transaction of a write.
 */
type IsClaimed = (record: TicketRecord) => boolean;

function createClaimCheck({ prepare }: Sqlite): IsClaimed {
  const selectOther = prepare(`
    SELECT 1 FROM tickets INDEXED BY tickets_by_external_id_client
    WHERE external_id_client = ? AND external_id = ? AND id <> ?`);
  return ({ externalIdClient, ticket: { id, external_id } }) =>
    externalIdClient !== undefined && selectOther.get(externalIdClient, external_id, id) !== undefined;
}

import type { Sqlite } from '@keydesk/storage/sqlite';
import type { Ticket } from '../../tickets/ticket.ts';

/** Changes of the tables of tickets, each for use inside one transaction; `false` where nothing was as expected. */
export interface TicketWriter {
  insert(ticket: Ticket): boolean;
  replace(ticket: Ticket, expectedVersion: number): boolean;
  remove(id: string, expectedVersion: number | undefined): boolean;
}

export function createTicketWriter({ prepare }: Sqlite): TicketWriter {
  const insert = prepare(`
    INSERT INTO tickets (id, version, status, priority, type, requester, assignee, created_at, updated_at, document)
    VALUES (:id, :version, :status, :priority, :type, :requester, :assignee, :createdAt, :updatedAt, :document)
    ON CONFLICT (id) DO NOTHING RETURNING seq`);
  const update = prepare(`
    UPDATE tickets SET
      version = :version, status = :status, priority = :priority, type = :type, requester = :requester,
      assignee = :assignee, created_at = :createdAt, updated_at = :updatedAt, document = :document
    WHERE id = :id AND version = :expectedVersion RETURNING seq`);
  const remove = prepare('DELETE FROM tickets WHERE id = ? AND version = coalesce(?, version)');
  const insertTag = prepare(
    'INSERT INTO ticket_tags (seq, tag, id, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
  );
  const removeTags = prepare('DELETE FROM ticket_tags WHERE seq = ?');

  function addTags(seq: number, { id, tags, created_at, updated_at }: Ticket): void {
    for (const tag of tags) insertTag.run(seq, tag, id, Date.parse(created_at), Date.parse(updated_at));
  }

  return {
    insert(ticket) {
      const row = insert.get(toRow(ticket));
      if (row) addTags(Number(row.seq), ticket);
      return row !== undefined;
    },
    replace(ticket, expectedVersion) {
      const row = update.get({ ...toRow(ticket), expectedVersion });
      if (!row) return false;
      removeTags.run(Number(row.seq));
      addTags(Number(row.seq), ticket);
      return true;
    },
    remove: (id, expectedVersion) => remove.run(id, expectedVersion ?? null).changes === 1,
  };
}

function toRow(ticket: Ticket) {
  return {
    id: ticket.id,
    version: ticket.version,
    status: ticket.status,
    priority: ticket.priority,
    type: ticket.type,
    requester: ticket.requester?.email ?? null,
    assignee: ticket.assignee?.email ?? null,
    createdAt: Date.parse(ticket.created_at),
    updatedAt: Date.parse(ticket.updated_at),
    document: JSON.stringify(ticket),
  };
}

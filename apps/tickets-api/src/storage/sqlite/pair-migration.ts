/** Adds indexes for tickets of an assignee or tag with one status or priority, which agents list most often. */
export const pairMigration = `
  CREATE INDEX tickets_by_assignee_status_created_at ON tickets (assignee, status, created_at, id)
    WHERE assignee IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_assignee_priority_created_at ON tickets (assignee, priority, created_at, id)
    WHERE assignee IS NOT NULL AND deleted_at IS NULL;

  ALTER TABLE ticket_tags ADD COLUMN status TEXT;
  ALTER TABLE ticket_tags ADD COLUMN priority TEXT;
  UPDATE ticket_tags SET (status, priority) = (
    SELECT status, priority FROM tickets WHERE tickets.seq = ticket_tags.seq);
  CREATE INDEX ticket_tags_by_status_created_at ON ticket_tags (tag, status, created_at, id)
    WHERE deleted_at IS NULL;
  CREATE INDEX ticket_tags_by_priority_created_at ON ticket_tags (tag, priority, created_at, id)
    WHERE deleted_at IS NULL;
`;

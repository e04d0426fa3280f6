/**
 * Adds filters by external id, follow-up and due date, as columns generated from the document. Rare values have partial
 * indexes; lists by due date also need the tickets without one.
 */
export const findingMigration = `
  ALTER TABLE tickets ADD COLUMN external_id TEXT GENERATED ALWAYS AS (document ->> '$.external_id') VIRTUAL;
  ALTER TABLE tickets ADD COLUMN follow_up_of TEXT GENERATED ALWAYS AS (document ->> '$.follow_up_of') VIRTUAL;
  ALTER TABLE tickets ADD COLUMN due_at TEXT GENERATED ALWAYS AS (document ->> '$.due_at') VIRTUAL;

  CREATE INDEX tickets_by_external_id_created_at ON tickets (external_id, created_at, id)
    WHERE external_id IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_external_id_updated_at ON tickets (external_id, updated_at, id)
    WHERE external_id IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_follow_up_of_created_at ON tickets (follow_up_of, created_at, id)
    WHERE follow_up_of IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_follow_up_of_updated_at ON tickets (follow_up_of, updated_at, id)
    WHERE follow_up_of IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_due_at ON tickets (due_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX tickets_by_status_due_at ON tickets (status, due_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX tickets_by_assignee_due_at ON tickets (assignee, due_at, id)
    WHERE assignee IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX deleted_tickets_by_due_at ON tickets (due_at, id) WHERE deleted_at IS NOT NULL;

  ALTER TABLE ticket_readers ADD COLUMN due_at TEXT;
  UPDATE ticket_readers SET due_at = (SELECT due_at FROM tickets WHERE tickets.seq = ticket_readers.seq);
  CREATE INDEX ticket_readers_by_due_at ON ticket_readers (person_id, due_at, id);
`;

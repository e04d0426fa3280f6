/**
 * Adds statuses, types and priorities as data. Earlier statuses became categories with one status of the same name each, which
 * determines the category of every ticket.
 */
export const definitionMigration = `
  CREATE TABLE definitions (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    is_built_in INTEGER NOT NULL,
    replaced_by TEXT,
    document TEXT NOT NULL,
    PRIMARY KEY (kind, id)
  ) STRICT, WITHOUT ROWID;

  UPDATE tickets SET document = json_set(document, '$.status_category', status);

  ALTER TABLE tickets ADD COLUMN status_category TEXT
    GENERATED ALWAYS AS (document ->> '$.status_category') VIRTUAL;
  DROP INDEX solved_tickets_by_solved_at;
  CREATE INDEX solved_tickets_by_solved_at ON tickets (solved_at, id)
    WHERE status_category = 'solved' AND deleted_at IS NULL;
`;

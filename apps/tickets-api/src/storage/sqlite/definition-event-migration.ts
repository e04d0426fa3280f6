/**
 * Events of definitions, which belong to no ticket. SQLite cannot drop a NOT NULL constraint, so the table is copied.
 * Generated columns and indexes are those of the table before.
 */
export const definitionEventMigration = `
  CREATE TABLE all_events (
    seq INTEGER PRIMARY KEY,
    ticket_seq INTEGER REFERENCES tickets (seq) ON DELETE CASCADE,
    id TEXT NOT NULL,
    is_public INTEGER NOT NULL,
    document TEXT NOT NULL,
    created_at TEXT GENERATED ALWAYS AS (document ->> '$.event.created_at') VIRTUAL,
    type TEXT GENERATED ALWAYS AS (document ->> '$.event.type') VIRTUAL,
    actor TEXT
      GENERATED ALWAYS AS (coalesce(document ->> '$.event.actor.id', document ->> '$.event.actor.type')) VIRTUAL,
    UNIQUE (ticket_seq, id)
  ) STRICT;

  INSERT INTO all_events (seq, ticket_seq, id, is_public, document)
  SELECT seq, ticket_seq, id, is_public, document FROM events ORDER BY seq;

  DROP TABLE events;
  ALTER TABLE all_events RENAME TO events;

  CREATE INDEX public_events ON events (ticket_seq, id) WHERE is_public = 1;
  CREATE INDEX events_in_order ON events (created_at, id);
  CREATE INDEX events_by_actor ON events (actor, created_at, id);
  CREATE INDEX events_by_type ON events (type, created_at, id);
`;

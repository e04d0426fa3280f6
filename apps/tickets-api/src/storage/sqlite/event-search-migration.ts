/** Adds indexes of all events by time, by actor and by type. */
export const eventSearchMigration = `
  ALTER TABLE events ADD COLUMN created_at TEXT
    GENERATED ALWAYS AS (document ->> '$.event.created_at') VIRTUAL;
  ALTER TABLE events ADD COLUMN type TEXT GENERATED ALWAYS AS (document ->> '$.event.type') VIRTUAL;
  ALTER TABLE events ADD COLUMN actor TEXT
    GENERATED ALWAYS AS (coalesce(document ->> '$.event.actor.id', document ->> '$.event.actor.type')) VIRTUAL;

  CREATE INDEX events_in_order ON events (created_at, id);
  CREATE INDEX events_by_actor ON events (actor, created_at, id);
  CREATE INDEX events_by_type ON events (type, created_at, id);
`;

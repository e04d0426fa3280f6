/**
 * Allows ids chosen by clients. Ids no longer reflect the time of a reply, so replies are ordered by creation time and their ids
 * are unique. `retired_ids` has the ids of purged tickets and replies.
 */
export const chosenIdMigration = `
  ALTER TABLE replies ADD COLUMN created_at TEXT AS (document ->> '$.created_at') VIRTUAL;
  CREATE INDEX replies_in_order ON replies (ticket_seq, created_at, id);
  CREATE INDEX public_replies_in_order ON replies (ticket_seq, created_at, id) WHERE is_public = 1;
  DROP INDEX public_replies;
  CREATE UNIQUE INDEX replies_by_id ON replies (id);
  CREATE TABLE retired_ids (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`;

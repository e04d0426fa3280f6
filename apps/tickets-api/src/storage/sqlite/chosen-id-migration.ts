/**
 * The step to ids that clients choose. They no longer tell when a reply was written, so replies are in order of
 * creation; each names one reply of all, and `retired_ids` has those of tickets and replies that are gone for good.
 */
export const chosenIdMigration = `
  ALTER TABLE replies ADD COLUMN created_at TEXT AS (document ->> '$.created_at') VIRTUAL;
  CREATE INDEX replies_in_order ON replies (ticket_seq, created_at, id);
  CREATE INDEX public_replies_in_order ON replies (ticket_seq, created_at, id) WHERE is_public = 1;
  DROP INDEX public_replies;
  CREATE UNIQUE INDEX replies_by_id ON replies (id);
  CREATE TABLE retired_ids (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`;

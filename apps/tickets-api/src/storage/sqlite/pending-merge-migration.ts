/** Adds an index of pending merges of people, which are finished after a crash. */
export const pendingMergeMigration = `
  ALTER TABLE people ADD COLUMN merge_since INTEGER AS (document ->> '$.pendingMerge.since') VIRTUAL;
  CREATE INDEX pending_merges ON people (merge_since) WHERE merge_since IS NOT NULL;
`;

/** The step to merges of people that are finished after a crash: an index leads to those that are pending. */
export const pendingMergeMigration = `
  ALTER TABLE people ADD COLUMN merge_since INTEGER AS (document ->> '$.pendingMerge.since') VIRTUAL;
  CREATE INDEX pending_merges ON people (merge_since) WHERE merge_since IS NOT NULL;
`;

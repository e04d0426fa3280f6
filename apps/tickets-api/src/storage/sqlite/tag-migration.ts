/** Counts tickets per tag, without deleted tickets; tags without tickets have no row. */
export const tagMigration = `
  CREATE TABLE tag_counts (
    tag TEXT PRIMARY KEY,
    count INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  INSERT INTO tag_counts (tag, count)
  SELECT tag, count(*) FROM ticket_tags WHERE deleted_at IS NULL GROUP BY tag;

  CREATE INDEX tag_counts_by_count ON tag_counts (count DESC, tag);
`;

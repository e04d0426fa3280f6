/** Adds definitions of custom fields. Values belong to tickets and do not refer to them. */
export const fieldMigration = `
  CREATE TABLE ticket_fields (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    document TEXT NOT NULL
  ) STRICT;
`;

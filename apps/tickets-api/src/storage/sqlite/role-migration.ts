/** Roles whose rights were changed. */
export const roleMigration = `
  CREATE TABLE roles (
    id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    document TEXT NOT NULL
  ) STRICT;
`;

/** The step to lists of people in other orders than that of their addresses: an index for each order, also within a role. */
export const personOrderMigration = `
  ALTER TABLE people ADD COLUMN name_key TEXT
    AS (coalesce(substr(lower(document ->> '$.person.name'), 1, 50), char(0x10FFFF))) VIRTUAL;
  ALTER TABLE people ADD COLUMN created_at TEXT AS (document ->> '$.person.created_at') VIRTUAL;
  ALTER TABLE people ADD COLUMN updated_at TEXT AS (document ->> '$.person.updated_at') VIRTUAL;
  CREATE INDEX people_by_name ON people (name_key, id);
  CREATE INDEX people_by_created_at ON people (created_at, id);
  CREATE INDEX people_by_updated_at ON people (updated_at, id);
  DROP INDEX people_by_role;
  CREATE INDEX people_by_role_email ON people (role, place);
  CREATE INDEX people_by_role_name ON people (role, name_key, id);
  CREATE INDEX people_by_role_created_at ON people (role, created_at, id);
  CREATE INDEX people_by_role_updated_at ON people (role, updated_at, id);
`;

/**
 * Hides addresses of staff from customers: `staff_ids` has the ids of staff among the requester and the people in copy.
 * Housekeeping masks earlier data of people with a known role, found by an index.
 */
export const staffMigration = `
  ALTER TABLE tickets ADD COLUMN staff_ids TEXT;
  UPDATE people SET document = json_set(document, '$.hasBeenStaff', json('true'), '$.maskingSince', 0)
    WHERE role IN ('agent', 'admin');
  ALTER TABLE people ADD COLUMN masking_since INTEGER AS (document ->> '$.maskingSince') VIRTUAL;
  CREATE INDEX pending_maskings ON people (masking_since) WHERE masking_since IS NOT NULL;
`;

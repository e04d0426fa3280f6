/**
 * The step to addresses of staff that customers do not see: `staff_ids` names the staff among the requester and the people
 * in copy. Housekeeping masks what was written before, of everybody whose role is known, and an index leads to them.
 */
export const staffMigration = `
  ALTER TABLE tickets ADD COLUMN staff_ids TEXT;
  UPDATE people SET document = json_set(document, '$.hasBeenStaff', json('true'), '$.maskingSince', 0)
    WHERE role IN ('agent', 'admin');
  ALTER TABLE people ADD COLUMN masking_since INTEGER AS (document ->> '$.maskingSince') VIRTUAL;
  CREATE INDEX pending_maskings ON people (masking_since) WHERE masking_since IS NOT NULL;
`;

/**
 * Gives people addresses and identities instead of one e-mail address.
 *
 * A person is a JSON document, with columns that lists sort and filter by. `person_keys` maps each address and identity to one
 * person. Migrated people have no identity: the first sign-in with a verified address claims the person. Tickets refer to people
 * by id, because addresses may change.
 */
export const identityMigration = `
  CREATE TABLE person_keys (
    key TEXT PRIMARY KEY,
    person_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX person_keys_by_person ON person_keys (person_id);

  INSERT INTO person_keys (key, person_id) SELECT 'mailto:' || email, id FROM people;

  CREATE TABLE identified_people (
    id TEXT PRIMARY KEY,
    place TEXT NOT NULL UNIQUE,
    role TEXT,
    version INTEGER NOT NULL,
    document TEXT NOT NULL
  ) STRICT;

  INSERT INTO identified_people (id, place, version, document)
  SELECT id, email, 1, json_object(
    'person', json_object(
      'id', id, 'email', email, 'addresses', json_array(email), 'name', name, 'role', NULL,
      'created_at', at, 'updated_at', at, 'version', 1),
    'identities', json_array(), 'claimsAt', 0)
  FROM (
    SELECT id, email, name,
      strftime('%Y-%m-%dT%H:%M:%S', created_at / 1000, 'unixepoch') || printf('.%03dZ', created_at % 1000) AS at
    FROM people);

  DROP TABLE people;
  ALTER TABLE identified_people RENAME TO people;
  CREATE INDEX people_by_role ON people (role, place) WHERE role IS NOT NULL;

  ALTER TABLE person_terms RENAME COLUMN email TO place;
  CREATE INDEX person_terms_by_place ON person_terms (place);

  UPDATE tickets SET
    requester = document ->> '$.requester.id',
    assignee = document ->> '$.assignee.id'
  WHERE requester IS NOT NULL OR assignee IS NOT NULL;
`;

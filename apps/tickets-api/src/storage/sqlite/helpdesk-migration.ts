/**
 * Extends the table of tickets to a helpdesk.
 *
 * Rows of a ticket refer to its `seq` and are deleted with it. Deleted tickets stay in the table but leave the list indexes, so
 * that lists never walk past them. `ticket_readers` has one row for each ticket that a customer sees, with the columns that
 * their lists sort by, like `ticket_tags` for tags.
 *
 * `changes` keeps the latest change of each resource for each reader, by a position that `change_feeds` counts per reader.
 * `person_terms` has the lower-case search terms of people; the storage adds those of migrated people when it is opened,
 * because SQLite converts only ASCII to lower case.
 *
 * Existing tickets are migrated: the people they name are added, and their readers get them as changes.
 */
export const helpdeskMigration = `
  CREATE TABLE people (
    id TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL UNIQUE,
    name TEXT,
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE person_terms (
    term TEXT NOT NULL,
    email TEXT NOT NULL,
    PRIMARY KEY (term, email)
  ) STRICT, WITHOUT ROWID;

    -- A UUIDv7 with the time of their first ticket.
  INSERT INTO people (id, email, name, created_at)
  SELECT
    lower(substr(printf('%012x', min(created_at)), 1, 8) || '-' || substr(printf('%012x', min(created_at)), 9)
      || '-7' || substr(hex(randomblob(2)), 2) || '-' || substr('89ab', 1 + (random() & 3), 1)
      || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))),
    email, max(name), min(created_at)
  FROM (
    SELECT requester AS email, document ->> '$.requester.name' AS name, created_at
    FROM tickets WHERE requester IS NOT NULL
    UNION ALL
    SELECT assignee, document ->> '$.assignee.name', created_at FROM tickets WHERE assignee IS NOT NULL
  ) GROUP BY email ORDER BY min(created_at);

  ALTER TABLE tickets ADD COLUMN public_version INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE tickets ADD COLUMN public_updated_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE tickets ADD COLUMN solved_at INTEGER;
  ALTER TABLE tickets ADD COLUMN deleted_at INTEGER;
  ALTER TABLE ticket_tags ADD COLUMN deleted_at INTEGER;

  UPDATE tickets SET
    public_version = version,
    public_updated_at = updated_at,
    solved_at = iif(status = 'solved', updated_at, NULL),
    document = json_set(
      document,
      '$.requester', json(iif(requester IS NULL, 'null', json_set(
        document -> '$.requester', '$.id', (SELECT id FROM people WHERE email = requester)))),
      '$.assignee', json(iif(assignee IS NULL, 'null', json_set(
        document -> '$.assignee', '$.id', (SELECT id FROM people WHERE email = assignee)))),
      '$.cc', json('[]'),
      '$.followers', json('[]'),
      '$.links', json('[]'),
      '$.follow_up_of', NULL,
      '$.first_replied_at', NULL,
      '$.solved_at', iif(status = 'solved', document ->> '$.updated_at', NULL),
      '$.closed_at', iif(status = 'closed', document ->> '$.updated_at', NULL),
      '$.deleted_at', NULL);

  DROP INDEX tickets_by_created_at;
  DROP INDEX tickets_by_updated_at;
  DROP INDEX tickets_by_status_created_at;
  DROP INDEX tickets_by_status_updated_at;
  DROP INDEX tickets_by_priority_created_at;
  DROP INDEX tickets_by_priority_updated_at;
  DROP INDEX tickets_by_type_created_at;
  DROP INDEX tickets_by_type_updated_at;
  DROP INDEX tickets_by_requester_created_at;
  DROP INDEX tickets_by_requester_updated_at;
  DROP INDEX tickets_by_assignee_created_at;
  DROP INDEX tickets_by_assignee_updated_at;
  DROP INDEX ticket_tags_by_created_at;
  DROP INDEX ticket_tags_by_updated_at;

  CREATE INDEX tickets_by_created_at ON tickets (created_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX tickets_by_updated_at ON tickets (updated_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX tickets_by_status_created_at ON tickets (status, created_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX tickets_by_status_updated_at ON tickets (status, updated_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX tickets_by_priority_created_at ON tickets (priority, created_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX tickets_by_priority_updated_at ON tickets (priority, updated_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX tickets_by_type_created_at ON tickets (type, created_at, id)
    WHERE type IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_type_updated_at ON tickets (type, updated_at, id)
    WHERE type IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_requester_created_at ON tickets (requester, created_at, id)
    WHERE requester IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_requester_updated_at ON tickets (requester, updated_at, id)
    WHERE requester IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_assignee_created_at ON tickets (assignee, created_at, id)
    WHERE assignee IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_assignee_updated_at ON tickets (assignee, updated_at, id)
    WHERE assignee IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX ticket_tags_by_created_at ON ticket_tags (tag, created_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX ticket_tags_by_updated_at ON ticket_tags (tag, updated_at, id) WHERE deleted_at IS NULL;

  CREATE INDEX deleted_tickets_by_created_at ON tickets (created_at, id) WHERE deleted_at IS NOT NULL;
  CREATE INDEX deleted_tickets_by_updated_at ON tickets (updated_at, id) WHERE deleted_at IS NOT NULL;
  CREATE INDEX deleted_tickets_by_deleted_at ON tickets (deleted_at, id) WHERE deleted_at IS NOT NULL;
  CREATE INDEX solved_tickets_by_solved_at ON tickets (solved_at, id) WHERE status = 'solved' AND deleted_at IS NULL;

  CREATE TABLE ticket_readers (
    seq INTEGER NOT NULL REFERENCES tickets (seq) ON DELETE CASCADE,
    person_id TEXT NOT NULL,
    id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    public_updated_at INTEGER NOT NULL,
    PRIMARY KEY (seq, person_id)
  ) STRICT, WITHOUT ROWID;

  INSERT INTO ticket_readers (seq, person_id, id, created_at, public_updated_at)
  SELECT tickets.seq, people.id, tickets.id, tickets.created_at, tickets.public_updated_at
  FROM tickets JOIN people ON people.email = tickets.requester;

  CREATE INDEX ticket_readers_by_created_at ON ticket_readers (person_id, created_at, id);
  CREATE INDEX ticket_readers_by_public_updated_at ON ticket_readers (person_id, public_updated_at, id);

  CREATE TABLE replies (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    ticket_seq INTEGER NOT NULL REFERENCES tickets (seq) ON DELETE CASCADE,
    id TEXT NOT NULL,
    is_public INTEGER NOT NULL,
    document TEXT NOT NULL,
    UNIQUE (ticket_seq, id)
  ) STRICT;

  CREATE INDEX public_replies ON replies (ticket_seq, id) WHERE is_public = 1;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    ticket_seq INTEGER NOT NULL REFERENCES tickets (seq) ON DELETE CASCADE,
    id TEXT NOT NULL,
    is_public INTEGER NOT NULL,
    document TEXT NOT NULL,
    UNIQUE (ticket_seq, id)
  ) STRICT;

  CREATE INDEX public_events ON events (ticket_seq, id) WHERE is_public = 1;

  CREATE TABLE change_feeds (
    reader TEXT PRIMARY KEY,
    last INTEGER NOT NULL,
    forgotten INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE changes (
    reader TEXT NOT NULL,
    position INTEGER NOT NULL,
    resource TEXT NOT NULL,
    id TEXT NOT NULL,
    ticket_id TEXT NOT NULL,
    is_gone INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (reader, position),
    UNIQUE (reader, resource, id)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX gone_changes_by_at ON changes (at) WHERE is_gone = 1;

  INSERT INTO changes (reader, position, resource, id, ticket_id, is_gone, at)
  SELECT reader, row_number() OVER (PARTITION BY reader ORDER BY at, id), 'ticket', id, id, 0, at
  FROM (
    SELECT 'staff' AS reader, id, updated_at AS at FROM tickets
    UNION ALL
    SELECT person_id, id, public_updated_at FROM ticket_readers
  );

  INSERT INTO change_feeds (reader, last) SELECT reader, max(position) FROM changes GROUP BY reader;

    -- Earlier answers have another format and cannot be replayed.
  DELETE FROM request_records;
  ALTER TABLE request_records RENAME COLUMN resource TO answer;
  ALTER TABLE request_records ADD COLUMN ticket_id TEXT;
  CREATE INDEX request_records_by_ticket ON request_records (ticket_id) WHERE ticket_id IS NOT NULL;
`;

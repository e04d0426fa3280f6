/**
 * Tickets as JSON documents, with columns that lists filter and sort by.
 *
 * `seq` is never reused, so `seq` and `version` together identify one state of a ticket forever. Times in columns are
 * milliseconds since 1970; generated times are text. Deleted tickets stay in the table but leave the list indexes, so
 * that lists never walk past them. `external_id_client` is set where an external id is unique within a client.
 * `staff_ids` has the staff among the requester and the people in copy, whose addresses customers do not see.
 */
const tickets = `
  CREATE TABLE tickets (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    public_version INTEGER NOT NULL,
    status TEXT NOT NULL,
    status_category TEXT AS (document ->> '$.status_category') VIRTUAL,
    priority TEXT NOT NULL,
    type TEXT,
    requester TEXT,
    assignee TEXT,
    staff_ids TEXT,
    external_id TEXT AS (document ->> '$.external_id') VIRTUAL,
    external_id_client TEXT,
    follow_up_of TEXT AS (document ->> '$.follow_up_of') VIRTUAL,
    due_at TEXT AS (document ->> '$.due_at') VIRTUAL,
    last_reply_at TEXT AS (document ->> '$.last_reply_at') VIRTUAL,
    last_customer_reply_at TEXT AS (document ->> '$.last_customer_reply_at') VIRTUAL,
    waiting_since TEXT AS (document ->> '$.waiting_since') VIRTUAL,
    reply_count INTEGER AS (document ->> '$.reply_count') VIRTUAL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    public_updated_at INTEGER NOT NULL,
    solved_at INTEGER,
    deleted_at INTEGER,
    document TEXT NOT NULL
  ) STRICT;

  CREATE UNIQUE INDEX tickets_by_external_id_client ON tickets (external_id_client, external_id)
    WHERE external_id_client IS NOT NULL;
  CREATE INDEX deleted_tickets_by_deleted_at ON tickets (deleted_at, id) WHERE deleted_at IS NOT NULL;
  CREATE INDEX solved_tickets_by_solved_at ON tickets (solved_at, id)
    WHERE status_category = 'solved' AND deleted_at IS NULL;
`;

/**
 * Indexes of lists: every filter in both orders of time, the minimum that serves every list without sorting, and the
 * common filters of open work in further orders. They are two thirds of the cost of an insert, so values that are often
 * missing have partial indexes.
 */
const ticketLists = `
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
  CREATE INDEX tickets_by_external_id_created_at ON tickets (external_id, created_at, id)
    WHERE external_id IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_external_id_updated_at ON tickets (external_id, updated_at, id)
    WHERE external_id IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_follow_up_of_created_at ON tickets (follow_up_of, created_at, id)
    WHERE follow_up_of IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_follow_up_of_updated_at ON tickets (follow_up_of, updated_at, id)
    WHERE follow_up_of IS NOT NULL AND deleted_at IS NULL;

    -- Agents most often list the tickets of an assignee with one status or priority.
  CREATE INDEX tickets_by_assignee_status_created_at ON tickets (assignee, status, created_at, id)
    WHERE assignee IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_assignee_priority_created_at ON tickets (assignee, priority, created_at, id)
    WHERE assignee IS NOT NULL AND deleted_at IS NULL;

    -- Lists by due date also have the tickets without one.
  CREATE INDEX tickets_by_due_at ON tickets (due_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX tickets_by_status_due_at ON tickets (status, due_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX tickets_by_assignee_due_at ON tickets (assignee, due_at, id)
    WHERE assignee IS NOT NULL AND deleted_at IS NULL;

    -- Orders by conversation; each index only has tickets with a value.
  CREATE INDEX tickets_by_waiting_since ON tickets (waiting_since, id)
    WHERE waiting_since IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_status_waiting_since ON tickets (status, waiting_since, id)
    WHERE waiting_since IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_assignee_waiting_since ON tickets (assignee, waiting_since, id)
    WHERE assignee IS NOT NULL AND waiting_since IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_last_reply_at ON tickets (last_reply_at, id)
    WHERE last_reply_at IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_status_last_reply_at ON tickets (status, last_reply_at, id)
    WHERE last_reply_at IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_assignee_last_reply_at ON tickets (assignee, last_reply_at, id)
    WHERE assignee IS NOT NULL AND last_reply_at IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_last_customer_reply_at ON tickets (last_customer_reply_at, id)
    WHERE last_customer_reply_at IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_reply_count ON tickets (reply_count, id) WHERE deleted_at IS NULL;

  CREATE INDEX deleted_tickets_by_created_at ON tickets (created_at, id) WHERE deleted_at IS NOT NULL;
  CREATE INDEX deleted_tickets_by_updated_at ON tickets (updated_at, id) WHERE deleted_at IS NOT NULL;
  CREATE INDEX deleted_tickets_by_due_at ON tickets (due_at, id) WHERE deleted_at IS NOT NULL;
`;

/**
 * Tags and readers of tickets, with the columns that their lists sort by. `ticket_readers` has one row for each ticket
 * that a customer sees. `tag_counts` counts tickets without deleted ones; a tag without tickets has no row.
 */
const tagsAndReaders = `
  CREATE TABLE ticket_tags (
    seq INTEGER NOT NULL REFERENCES tickets (seq) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    id TEXT NOT NULL,
    status TEXT,
    priority TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    PRIMARY KEY (seq, tag)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX ticket_tags_by_created_at ON ticket_tags (tag, created_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX ticket_tags_by_updated_at ON ticket_tags (tag, updated_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX ticket_tags_by_status_created_at ON ticket_tags (tag, status, created_at, id)
    WHERE deleted_at IS NULL;
  CREATE INDEX ticket_tags_by_priority_created_at ON ticket_tags (tag, priority, created_at, id)
    WHERE deleted_at IS NULL;

  CREATE TABLE tag_counts (
    tag TEXT PRIMARY KEY,
    count INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX tag_counts_by_count ON tag_counts (count DESC, tag);

  CREATE TABLE ticket_readers (
    seq INTEGER NOT NULL REFERENCES tickets (seq) ON DELETE CASCADE,
    person_id TEXT NOT NULL,
    id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    public_updated_at INTEGER NOT NULL,
    due_at TEXT,
    PRIMARY KEY (seq, person_id)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX ticket_readers_by_created_at ON ticket_readers (person_id, created_at, id);
  CREATE INDEX ticket_readers_by_public_updated_at ON ticket_readers (person_id, public_updated_at, id);
  CREATE INDEX ticket_readers_by_due_at ON ticket_readers (person_id, due_at, id);
`;

/** Tables of tickets, with the indexes of their lists. */
export const ticketSchema = [tickets, ticketLists, tagsAndReaders].join('\n');

/** Index of lists by priority that have one status. */
export const priorityAndStatusIndex = `
  CREATE INDEX tickets_by_priority_status_created_at ON tickets (priority, status, created_at, id)
    WHERE deleted_at IS NULL;
`;

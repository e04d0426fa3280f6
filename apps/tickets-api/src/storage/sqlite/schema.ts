import { priorityAndStatusIndex, ticketSchema } from './ticket-schema.ts';

/**
 * Replies and events. Ids may be chosen by clients, so replies are ordered by creation time, and the ids of purged
 * tickets and replies are kept. Events of definitions and roles belong to no ticket.
 */
const conversations = `
  CREATE TABLE replies (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    ticket_seq INTEGER NOT NULL REFERENCES tickets (seq) ON DELETE CASCADE,
    id TEXT NOT NULL,
    is_public INTEGER NOT NULL,
    created_at TEXT AS (document ->> '$.created_at') VIRTUAL,
    document TEXT NOT NULL,
    UNIQUE (ticket_seq, id)
  ) STRICT;

  CREATE UNIQUE INDEX replies_by_id ON replies (id);
  CREATE INDEX replies_in_order ON replies (ticket_seq, created_at, id);
  CREATE INDEX public_replies_in_order ON replies (ticket_seq, created_at, id) WHERE is_public = 1;

  CREATE TABLE retired_ids (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    ticket_seq INTEGER REFERENCES tickets (seq) ON DELETE CASCADE,
    id TEXT NOT NULL,
    is_public INTEGER NOT NULL,
    created_at TEXT AS (document ->> '$.event.created_at') VIRTUAL,
    type TEXT AS (document ->> '$.event.type') VIRTUAL,
    actor TEXT AS (coalesce(document ->> '$.event.actor.id', document ->> '$.event.actor.type')) VIRTUAL,
    document TEXT NOT NULL,
    UNIQUE (ticket_seq, id)
  ) STRICT;

  CREATE INDEX public_events ON events (ticket_seq, id) WHERE is_public = 1;
  CREATE INDEX events_in_order ON events (created_at, id);
  CREATE INDEX events_by_actor ON events (actor, created_at, id);
  CREATE INDEX events_by_type ON events (type, created_at, id);
`;

/**
 * Full-text search. `ticket_texts` has the words of each ticket in lines, as `search/tokenize.ts` splits them, and
 * `ticket_words` indexes them. Its tokenizer treats all characters except ASCII as letters, so that it splits lines
 * only at spaces. It has no positions: phrases are checked in the texts. Prefixes of up to five letters, which may
 * match very many words, are indexed like words, so that they are as fast.
 *
 * Triggers update the index, including for purges. A rewritten text includes its subject. The writer indexes appended
 * replies itself, because a text may have half a million characters: inserting a row again only adds pairs of word and
 * row, and merging segments drops duplicates.
 */
const search = `
  CREATE TABLE ticket_texts (
    seq INTEGER PRIMARY KEY REFERENCES tickets (seq) ON DELETE CASCADE,
    subject TEXT NOT NULL,
    description TEXT NOT NULL,
    replies TEXT NOT NULL,
    notes TEXT NOT NULL
  ) STRICT;

  CREATE VIRTUAL TABLE ticket_words USING fts5 (
    subject, description, replies, notes,
    content = 'ticket_texts', content_rowid = 'seq', tokenize = 'ascii', columnsize = 0,
    detail = 'none', prefix = '2 3 4 5'
  );

  CREATE TRIGGER ticket_texts_inserted AFTER INSERT ON ticket_texts BEGIN
    INSERT INTO ticket_words (rowid, subject, description, replies, notes)
    VALUES (new.seq, new.subject, new.description, new.replies, new.notes);
  END;

  CREATE TRIGGER ticket_texts_deleted AFTER DELETE ON ticket_texts BEGIN
    INSERT INTO ticket_words (ticket_words, rowid, subject, description, replies, notes)
    VALUES ('delete', old.seq, old.subject, old.description, old.replies, old.notes);
  END;

  CREATE TRIGGER ticket_texts_rewritten AFTER UPDATE OF subject ON ticket_texts BEGIN
    INSERT INTO ticket_words (ticket_words, rowid, subject, description, replies, notes)
    VALUES ('delete', old.seq, old.subject, old.description, old.replies, old.notes);
    INSERT INTO ticket_words (rowid, subject, description, replies, notes)
    VALUES (new.seq, new.subject, new.description, new.replies, new.notes);
  END;
`;

/**
 * People as JSON documents. `place` is their position in the list by address. `person_keys` maps each address and
 * identity to one person, and `person_terms` each lower-case search term to places.
 */
const people = `
  CREATE TABLE people (
    id TEXT PRIMARY KEY,
    place TEXT NOT NULL UNIQUE,
    role TEXT,
    version INTEGER NOT NULL,
    name_key TEXT AS (coalesce(substr(lower(document ->> '$.person.name'), 1, 50), char(0x10FFFF))) VIRTUAL,
    created_at TEXT AS (document ->> '$.person.created_at') VIRTUAL,
    updated_at TEXT AS (document ->> '$.person.updated_at') VIRTUAL,
    merge_since INTEGER AS (document ->> '$.pendingMerge.since') VIRTUAL,
    masking_since INTEGER AS (document ->> '$.maskingSince') VIRTUAL,
    document TEXT NOT NULL
  ) STRICT;

  CREATE INDEX people_by_name ON people (name_key, id);
  CREATE INDEX people_by_created_at ON people (created_at, id);
  CREATE INDEX people_by_updated_at ON people (updated_at, id);
  CREATE INDEX people_by_role_email ON people (role, place);
  CREATE INDEX people_by_role_name ON people (role, name_key, id);
  CREATE INDEX people_by_role_created_at ON people (role, created_at, id);
  CREATE INDEX people_by_role_updated_at ON people (role, updated_at, id);
  CREATE INDEX pending_merges ON people (merge_since) WHERE merge_since IS NOT NULL;
  CREATE INDEX pending_maskings ON people (masking_since) WHERE masking_since IS NOT NULL;

  CREATE TABLE person_keys (
    key TEXT PRIMARY KEY,
    person_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX person_keys_by_person ON person_keys (person_id);

  CREATE TABLE person_terms (
    term TEXT NOT NULL,
    place TEXT NOT NULL,
    PRIMARY KEY (term, place)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX person_terms_by_place ON person_terms (place);
`;

/**
 * Custom fields, statuses, types, priorities and roles. Values of fields belong to tickets and do not refer to them.
 * Built-in definitions and roles have a row once they have been changed.
 */
const definitions = `
  CREATE TABLE ticket_fields (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    document TEXT NOT NULL
  ) STRICT;

  CREATE TABLE definitions (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    is_built_in INTEGER NOT NULL,
    replaced_by TEXT,
    document TEXT NOT NULL,
    PRIMARY KEY (kind, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE roles (
    id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    document TEXT NOT NULL
  ) STRICT;
`;

/**
 * Change feed, records of repeatable requests, and the epoch. `changes` has the latest change of each resource for each
 * reader, by a position that `change_feeds` counts per reader. A request record has the first answer to a request with
 * an idempotency key, as JSON. The epoch is null in a backup; `inode` is that of the file.
 */
const changes = `
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

  CREATE TABLE request_records (
    key TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    answer TEXT NOT NULL,
    ticket_id TEXT
  ) STRICT;

  CREATE INDEX request_records_by_expires_at ON request_records (expires_at);
  CREATE INDEX request_records_by_ticket ON request_records (ticket_id) WHERE ticket_id IS NOT NULL;

  CREATE TABLE database_epoch (id INTEGER PRIMARY KEY CHECK (id = 1), epoch TEXT, inode TEXT) STRICT;
  INSERT INTO database_epoch (id) VALUES (1);
`;

/** Schema of the database as `openSqlite` takes it: see decision 25. A published migration never changes. */
export const schema = {
  migrations: [
    [ticketSchema, conversations, search, people, definitions, changes].join('\n'),
    priorityAndStatusIndex,
  ],
  /** 0.9, which ignores the index. */
  oldestReader: 25,
  /** Version of the databases before 0.9. */
  firstVersion: 24,
  /** "KDTK", which identifies the file as a database of tickets. */
  applicationId: 0x4b_44_54_4b,
} as const;

import { appendedWordsMigration } from './appended-words-migration.ts';

import { authorMigration } from './author-migration.ts';
import { chosenIdMigration } from './chosen-id-migration.ts';
import { conversationMigration } from './conversation-migration.ts';
import { conversationOrderMigration } from './conversation-order-migration.ts';
import { definitionEventMigration } from './definition-event-migration.ts';
import { definitionMigration } from './definition-migration.ts';
import { epochMigration } from './epoch.ts';
import { eventSearchMigration } from './event-search-migration.ts';
import { externalIdMigration } from './external-id-migration.ts';
import { fieldMigration } from './field-migration.ts';
import { findingMigration } from './finding-migration.ts';
import { helpdeskMigration } from './helpdesk-migration.ts';
import { identityMigration } from './identity-migration.ts';
import { pairMigration } from './pair-migration.ts';
import { pendingMergeMigration } from './pending-merge-migration.ts';
import { personOrderMigration } from './person-order-migration.ts';
import { roleMigration } from './role-migration.ts';
import { searchMigration } from './search-migration.ts';
import { staffMigration } from './staff-migration.ts';
import { tagMigration } from './tag-migration.ts';
import { wordMigration } from './word-migration.ts';

/**
 * Schema of the database as a list of migrations; a published migration never changes.
 *
 * A ticket is a JSON document, with columns that lists filter and sort by. `seq` is never reused, so `seq` and `version` together
 * identify one state of a ticket forever. Times are milliseconds since 1970. Every filter has an index for each order, the
 * minimum that serves every list without sorting: 12 entries per ticket and 2 per tag, two thirds of the cost of an insert.
 * Values that are often missing therefore have partial indexes.
 *
 * A request record has the first answer to a request with an idempotency key, as JSON.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE tickets (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    status TEXT NOT NULL,
    priority TEXT NOT NULL,
    type TEXT,
    requester TEXT,
    assignee TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    document TEXT NOT NULL
  ) STRICT;

  CREATE INDEX tickets_by_created_at ON tickets (created_at, id);
  CREATE INDEX tickets_by_updated_at ON tickets (updated_at, id);
  CREATE INDEX tickets_by_status_created_at ON tickets (status, created_at, id);
  CREATE INDEX tickets_by_status_updated_at ON tickets (status, updated_at, id);
  CREATE INDEX tickets_by_priority_created_at ON tickets (priority, created_at, id);
  CREATE INDEX tickets_by_priority_updated_at ON tickets (priority, updated_at, id);
  CREATE INDEX tickets_by_type_created_at ON tickets (type, created_at, id) WHERE type IS NOT NULL;
  CREATE INDEX tickets_by_type_updated_at ON tickets (type, updated_at, id) WHERE type IS NOT NULL;
  CREATE INDEX tickets_by_requester_created_at ON tickets (requester, created_at, id) WHERE requester IS NOT NULL;
  CREATE INDEX tickets_by_requester_updated_at ON tickets (requester, updated_at, id) WHERE requester IS NOT NULL;
  CREATE INDEX tickets_by_assignee_created_at ON tickets (assignee, created_at, id) WHERE assignee IS NOT NULL;
  CREATE INDEX tickets_by_assignee_updated_at ON tickets (assignee, updated_at, id) WHERE assignee IS NOT NULL;

  CREATE TABLE ticket_tags (
    seq INTEGER NOT NULL REFERENCES tickets (seq) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (seq, tag)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX ticket_tags_by_created_at ON ticket_tags (tag, created_at, id);
  CREATE INDEX ticket_tags_by_updated_at ON ticket_tags (tag, updated_at, id);
  `,
  `
  CREATE TABLE request_records (
    key TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    resource TEXT NOT NULL
  ) STRICT;

  CREATE INDEX request_records_by_expires_at ON request_records (expires_at);
  `,
  helpdeskMigration,
  fieldMigration,
  searchMigration,
  findingMigration,
  tagMigration,
  wordMigration,
  appendedWordsMigration,
  chosenIdMigration,
  conversationMigration,
  eventSearchMigration,
  identityMigration,
  authorMigration,
  epochMigration,
  conversationOrderMigration,
  externalIdMigration,
  pairMigration,
  pendingMergeMigration,
  definitionMigration,
  definitionEventMigration,
  staffMigration,
  roleMigration,
  personOrderMigration,
];

import type { DefinitionStore } from '../helpdesk/definitions/definition-store.ts';
import type { ErasureStore } from '../helpdesk/erasure/erasure-store.ts';
import type { ChangeStore } from '../helpdesk/feed/change-store.ts';
import type { FieldStore } from '../helpdesk/fields/field-store.ts';
import type { EventStore } from '../helpdesk/history/event-store.ts';
import type { PersonStore } from '../helpdesk/people/person-store.ts';
import type { ReplyStore } from '../helpdesk/replies/reply-store.ts';
import type { RoleStore } from '../helpdesk/roles/role-store.ts';
import type { TagStore } from '../helpdesk/tags/tag-store.ts';
import type { TicketStore } from '../helpdesk/tickets/ticket-store.ts';

/** One database with everything that the API keeps. */
export interface Storage {
  tickets: TicketStore;
  replies: ReplyStore;
  events: EventStore;
  changes: ChangeStore;
  people: PersonStore;
  erasure: ErasureStore;
  fields: FieldStore;
  definitions: DefinitionStore;
  roles: RoleStore;
  tags: TagStore;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

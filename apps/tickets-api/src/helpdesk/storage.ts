import type { Leases } from '@keydesk/storage/leases';
import type { DefinitionStore } from './definitions/definition-store.ts';
import type { ErasureStore } from './erasure/erasure-store.ts';
import type { ChangeStore } from './feed/change-store.ts';
import type { FieldStore } from './fields/field-store.ts';
import type { EventStore } from './history/event-store.ts';
import type { PersonStore } from './people/person-store.ts';
import type { ReplyStore } from './replies/reply-store.ts';
import type { RoleStore } from './roles/role-store.ts';
import type { TagStore } from './tags/tag-store.ts';
import type { TicketStore } from './tickets/ticket-store.ts';

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
  leases: Leases;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

import type { ChangeStore } from '../changes/change-store.ts';
import type { ErasureStore } from '../erasure/erasure-store.ts';
import type { FieldStore } from '../fields/field-store.ts';
import type { EventStore } from '../history/event-store.ts';
import type { PersonStore } from '../people/person-store.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import type { TagStore } from '../tickets/tag-store.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';

/** One database with everything that the API keeps. */
export interface Storage {
  tickets: TicketStore;
  replies: ReplyStore;
  events: EventStore;
  changes: ChangeStore;
  people: PersonStore;
  erasure: ErasureStore;
  fields: FieldStore;
  /**
   * A number that is another one after every commit, by whatever process: what was read since it was told is what
   * would be read now, for as long as it is the same. `undefined` where the engine cannot tell for less than a query.
   */
  state(): number | undefined;
  tags: TagStore;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

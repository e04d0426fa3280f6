import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FieldCatalogue } from '../catalogues.ts';
import { rewriteTicket } from '../commit/rewrite-ticket.ts';
import { rewriteEvents } from '../erasure/rewrite-events.ts';
import type { EventRecord, FieldChange } from '../history/audit-event.ts';
import type { Storage } from '../storage.ts';
import { type TicketPosition, toPosition } from '../tickets/ticket-store.ts';
import type { Person, PersonRecord } from './person.ts';
import { toMasked } from './person-record.ts';
import { scanTickets } from './scan-tickets.ts';
import { system } from './viewer.ts';

export interface MaskingDeps {
  storage: Pick<Storage, 'people' | 'tickets' | 'replies' | 'events' | 'erasure'>;
  catalogue: Pick<FieldCatalogue, 'current'>;
  now: () => Date;
  /** Creates ids of events. */
  newId: () => string;
}

/**
 * Masks the addresses of people who became staff in the customer view of existing tickets. It can be interrupted at any
 * point and repeated.
 */
export interface Masking {
  /**
   * Masks the tickets that an index finds: those with the person as requester or in copy.
   *
   * @param mayGoOn called after each batch; `false` ends the run
   * @returns whether all of them are masked
   */
  maskIndexed(record: PersonRecord, mayGoOn: () => boolean): Promise<boolean>;
  /**
   * Masks every ticket that contains the id or an address of the person, deleted ones included, and ends the pending
   * masking. It first waits until no other process can still be writing a change that it began before the role was
   * stored.
   */
  maskAll(record: PersonRecord, mayGoOn: () => boolean): Promise<boolean>;
}

/** Masks tickets during a sign-in within a time limit. Housekeeping masks the rest. */
export type MaskAtSignIn = (record: PersonRecord) => Promise<void>;

/** Maximum time in milliseconds that a sign-in spends on masking tickets. */
const SIGN_IN_PATIENCE_MS = 5_000;
/** Number of tickets per batch; SQLite writes a batch in one commit. */
const WRITTEN_AT_ONCE = 20;
/** Time in milliseconds after which no earlier change is still being written. */
const GRACE_MS = 15_000;

const sort = { field: 'created_at', direction: 'asc' } as const;
/** Event fields that contain people and that customers see. */
const fieldsOfPeople: ReadonlySet<string> = new Set(['requester', 'assignee', 'cc']);

export function createMasking({ storage, catalogue, now, newId }: MaskingDeps): Masking {
  const { people, tickets, erasure } = storage;

  async function* listIndexed({ id }: Person): AsyncIterable<readonly string[]> {
    let after: TicketPosition | undefined;
    do {
      const query = { reader: id, filter: {}, sort, limit: WRITTEN_AT_ONCE, ...(after && { after }) };
      const page = await tickets.list(query);
      yield page.map(({ ticket }) => ticket.id);
      const last = page.length === WRITTEN_AT_ONCE ? page.at(-1) : undefined;
      after = last && toPosition(last.ticket, sort);
    } while (after);
  }

  async function* listAll({ id, addresses }: Person): AsyncIterable<readonly string[]> {
    for (const email of addresses.length > 0 ? addresses : [id]) {
      yield* scanTickets(erasure, { email, personId: id }, WRITTEN_AT_ONCE);
    }
  }

  /** Masks batches of tickets; resolves with whether all of them are masked. */
  async function mask(
    person: Person,
    batches: AsyncIterable<readonly string[]>,
    mayGoOn: () => boolean,
  ): Promise<boolean> {
    const rewriting = {
      rewrite: <Content>(content: Content) => content,
      by: system,
      fields: await catalogue.current(),
      isTold: false,
    };
    const maskEvent = createEventMask(person);
    for await (const ticketIds of batches) {
      await Promise.all(ticketIds.map((id) => rewriteTicket({ ...storage, now, newId }, rewriting, id)));
      for (const id of ticketIds) await rewriteEvents(storage, maskEvent, id);
      await nextTurn();
      if (!mayGoOn()) return false;
    }
    return true;
  }

  return {
    maskIndexed: ({ person }, mayGoOn) => mask(person, listIndexed(person), mayGoOn),
    async maskAll(record, mayGoOn) {
      const { person, maskingSince = 0 } = record;
      if (now().getTime() <= maskingSince + GRACE_MS) return false;
      if (!(await mask(person, listAll(person), mayGoOn))) return false;
      // Fails if the person has changed meanwhile, because they may have another address. The next run starts again.
      return people.write([{ expectedVersion: person.version, record: toMasked(record) }]);
    },
  };
}

/** Creates the masking of a sign-in, with a time limit. */
export function createMaskAtSignIn({ maskIndexed }: Pick<Masking, 'maskIndexed'>): MaskAtSignIn {
  return async (record) => {
    const until = performance.now() + SIGN_IN_PATIENCE_MS;
    await maskIndexed(record, () => performance.now() < until);
  };
}

/** Creates a function that replaces the addresses of a person by their name in the public part of events. */
function createEventMask({ id, addresses, name }: Person): (record: EventRecord) => EventRecord {
  const toText = (text: string) => (addresses.includes(text) ? (name ?? id) : text);
  const toValue = (value: FieldChange['from']) => {
    if (Array.isArray(value)) return value.map(toText);
    return typeof value === 'string' ? toText(value) : value;
  };
  const toChange = (change: FieldChange): FieldChange =>
    fieldsOfPeople.has(change.field)
      ? { ...change, from: toValue(change.from), to: toValue(change.to) }
      : change;
  return (record) =>
    record.publicChanges ? { ...record, publicChanges: record.publicChanges.map(toChange) } : record;
}

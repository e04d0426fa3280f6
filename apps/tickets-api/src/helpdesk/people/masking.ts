import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FieldCatalogue } from '../catalogues.ts';
import { rewriteTicket } from '../commit/rewrite-ticket.ts';
import { rewriteEvents } from '../erasure/rewrite-events.ts';
import { scanTickets } from '../erasure/scan-tickets.ts';
import type { EventRecord, FieldChange } from '../history/audit-event.ts';
import type { Storage } from '../storage.ts';
import { type TicketPosition, toPosition } from '../tickets/ticket-store.ts';
import type { Person, PersonRecord } from './person.ts';
import { toMasked } from './person-record.ts';
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
   * @param canContinue called after each batch; `false` ends the run
   * @returns whether all of them are masked
   */
  maskIndexed(record: PersonRecord, canContinue: () => boolean): Promise<boolean>;
  /**
   * Masks every ticket that contains the id or an address of the person, deleted ones included, and ends the pending
   * masking. It first waits until no other process can still be writing a change that it began before the role was
   * stored.
   */
  maskAll(record: PersonRecord, canContinue: () => boolean): Promise<boolean>;
}

/** Masks tickets during a sign-in within a time limit. Housekeeping masks the rest. */
export type MaskAtSignIn = (record: PersonRecord) => Promise<void>;

/** Maximum time in milliseconds that a sign-in spends on masking tickets. */
const SIGN_IN_LIMIT_MS = 5_000;
/** Number of tickets per batch; SQLite writes a batch in one commit. */
const BATCH_SIZE = 20;
/** Time in milliseconds after which no earlier change is still being written. */
const GRACE_MS = 15_000;

const sort = { field: 'created_at', direction: 'asc' } as const;
/** Event fields that contain people and that customers see. */
const fieldsOfPeople: ReadonlySet<string> = new Set(['requester', 'assignee', 'cc']);

export function createMasking({ storage, catalogue, now, newId }: MaskingDeps): Masking {
  const { people, tickets, replies, erasure } = storage;

  async function* listIndexed({ id }: Person): AsyncIterable<readonly string[]> {
    let after: TicketPosition | undefined;
    do {
      const query = { reader: id, filter: {}, sort, limit: BATCH_SIZE, ...(after && { after }) };
      const page = await tickets.list(query);
      yield page.map(({ ticket }) => ticket.id);
      const last = page.length === BATCH_SIZE ? page.at(-1) : undefined;
      after = last && toPosition(last.ticket, sort);
    } while (after);
  }

  async function* listAll({ id, addresses }: Person): AsyncIterable<readonly string[]> {
    for (const email of addresses.length > 0 ? addresses : [id]) {
      yield* scanTickets(erasure, { email, personId: id }, BATCH_SIZE);
    }
  }

  /** Masks batches of tickets; resolves with whether all of them are masked. */
  async function mask(
    person: Person,
    batches: AsyncIterable<readonly string[]>,
    canContinue: () => boolean,
  ): Promise<boolean> {
    const marking = { by: system, fields: await catalogue.current(), listsChanges: false };
    const deps = { tickets, replies, people, now, newId };
    const maskEvent = createEventMask(person);
    for await (const ticketIds of batches) {
      await Promise.all(ticketIds.map((id) => rewriteTicket(deps, marking, id)));
      for (const id of ticketIds) await rewriteEvents(storage, maskEvent, id);
      await nextTurn();
      if (!canContinue()) return false;
    }
    return true;
  }

  return {
    maskIndexed: ({ person }, canContinue) => mask(person, listIndexed(person), canContinue),
    async maskAll(record, canContinue) {
      const { person, maskingSince = 0 } = record;
      if (now().getTime() <= maskingSince + GRACE_MS) return false;
      if (!(await mask(person, listAll(person), canContinue))) return false;
      // Fails if the person has changed in the meantime, because they may have another address. The next run starts
      // again.
      return people.write([{ expectedVersion: person.version, record: toMasked(record) }]);
    },
  };
}

/** Creates the masking of a sign-in, with a time limit. */
export function createMaskAtSignIn({ maskIndexed }: Pick<Masking, 'maskIndexed'>): MaskAtSignIn {
  return async (record) => {
    const until = performance.now() + SIGN_IN_LIMIT_MS;
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

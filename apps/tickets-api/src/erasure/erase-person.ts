import { isDeepStrictEqual } from 'node:util';
import { createFieldSet, type FieldSet } from '../fields/field-set.ts';
import { definitionEventTypes } from '../history/audit-event.ts';
import type { EventPlace } from '../history/event-search.ts';
import type { Person } from '../people/person.ts';
import { nextPersonRecord, noContent } from '../people/person-record.ts';
import { system } from '../people/viewer.ts';
import { retryWhenStale } from '../retry-when-stale.ts';
import type { Storage } from '../storage/storage.ts';
import { rewriteTicket } from '../tickets/rewrite-ticket.ts';
import { createEraser, type Eraser, toPlaceholder } from './eraser.ts';
import type { Needles } from './erasure-store.ts';
import { rewriteEvents } from './rewrite-events.ts';

export interface ErasureDeps {
  storage: Pick<Storage, 'tickets' | 'replies' | 'events' | 'people' | 'fields' | 'erasure'>;
  now: () => Date;
  newId: () => string;
  /** Tells how many tickets were looked at. */
  onProgress?: (scanned: number) => void;
}

export interface Erasure {
  /** Whether somebody had the address. */
  isKnown: boolean;
  /** Tickets that told of them. */
  tickets: number;
}

interface Erasing {
  erase: Eraser;
  /** Which custom fields customers see, so that they are told of a difference there too. */
  fields: FieldSet;
}

/** How many tickets are looked at at once. */
const BATCH = 500;

/**
 * Erases the addresses of the person who has this one, and their name wherever it stands beside it: in people, tickets,
 * replies, events, and in the answers kept for repeated requests. The person comes last, so that an erasure that was
 * broken off is found and continued when it is asked for again. Their account is no longer connected to them: its next
 * sign-in adds another person. Readers of the tickets learn from the change feed that they are different.
 *
 * @param email in lower case
 */
export async function erasePerson(deps: ErasureDeps, email: string): Promise<Erasure> {
  const { storage } = deps;
  const person = (await storage.people.findByEmail(email))?.person;
  const fields = createFieldSet(await storage.fields.list());
  const tickets = new Set<string>();
  for (const needles of toNeedles(email, person)) {
    const erasing = { erase: createEraser(needles), fields };
    for await (const ticketId of scanTickets(deps, needles)) {
      if (await eraseTicket(deps, erasing, ticketId)) tickets.add(ticketId);
    }
    await eraseDefinitionEvents(deps, erasing.erase);
    await storage.erasure.removeRequestRecords(needles.email);
  }
  if (person) await replacePerson(deps, person.id);
  return { isKnown: person !== undefined, tickets: tickets.size };
}

/** What an erasure would change, as nearly as a scan tells. */
export async function previewErasure(deps: ErasureDeps, email: string): Promise<Erasure> {
  const person = (await deps.storage.people.findByEmail(email))?.person;
  const tickets = new Set<string>();
  for (const needles of toNeedles(email, person)) {
    for await (const ticketId of scanTickets(deps, needles)) tickets.add(ticketId);
  }
  return { isKnown: person !== undefined, tickets: tickets.size };
}

function toNeedles(email: string, person: Person | undefined): Needles[] {
  return (person?.addresses ?? [email]).map((address) => ({ email: address, personId: person?.id }));
}

/** Puts a person in the place of the erased one of whom there is nothing but the id. */
function replacePerson({ storage, now }: ErasureDeps, id: string): Promise<true> {
  return retryWhenStale('person', async () => {
    const before = await storage.people.find(id);
    if (!before) return true;
    const erased = { ...noContent, addresses: [toPlaceholder(id)], identities: [] };
    const record = nextPersonRecord(before, erased, now());
    const isWritten = await storage.people.write([{ expectedVersion: before.person.version, record }]);
    return isWritten || undefined;
  });
}

async function* scanTickets({ storage, onProgress }: ErasureDeps, needles: Needles): AsyncIterable<string> {
  let scanned = 0;
  let after: string | undefined = '';
  while (after !== undefined) {
    const scan = await storage.erasure.scan(needles, { after, limit: BATCH });
    yield* scan.ticketIds;
    scanned += BATCH;
    onProgress?.(scanned);
    after = scan.last;
  }
}

/** Whether anything of it was to be erased. */
async function eraseTicket(
  deps: ErasureDeps,
  { erase, fields }: Erasing,
  ticketId: string,
): Promise<boolean> {
  const rewriting = { rewrite: erase, by: system, fields, isTold: false };
  const isRewritten = await rewriteTicket({ ...deps, ...deps.storage }, rewriting, ticketId);
  return (await rewriteEvents(deps.storage, erase, ticketId)) || isRewritten;
}

/** Administrators are the actors of events that belong to no ticket. */
async function eraseDefinitionEvents({ storage }: ErasureDeps, erase: Eraser): Promise<void> {
  const filter = { type: { any: definitionEventTypes } };
  let after: EventPlace | undefined;
  for (;;) {
    const query = { filter, direction: 'asc', limit: BATCH, ...(after && { after }) } as const;
    const page = await storage.events.search(query);
    const erased = page.map(erase).filter((event, i) => !isDeepStrictEqual(event, page[i]));
    if (erased.length > 0) await storage.erasure.rewriteEvents(null, erased);
    const last = page.at(-1)?.event;
    if (page.length < BATCH || !last) return;
    after = { created_at: last.created_at, id: last.id };
  }
}

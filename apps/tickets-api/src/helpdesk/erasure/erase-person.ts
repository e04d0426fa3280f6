import { isDeepStrictEqual } from 'node:util';
import { retryWhenStale } from '../commit/retry-when-stale.ts';
import { rewriteTicket } from '../commit/rewrite-ticket.ts';
import { createFieldSet, type FieldSet } from '../fields/field-set.ts';
import { definitionEventTypes } from '../history/audit-event.ts';
import type { EventPosition } from '../history/event-search.ts';
import type { Identity, Person } from '../people/person.ts';
import { nextPersonRecord, noContent } from '../people/person-record.ts';
import { system } from '../people/viewer.ts';
import type { Storage } from '../storage.ts';
import { createEraser, type Eraser, toPlaceholder } from './eraser.ts';
import type { ErasureTarget } from './erasure-store.ts';
import { rewriteEvents } from './rewrite-events.ts';
import { SCAN_SIZE, scanTickets } from './scan-tickets.ts';

export interface ErasureDeps {
  storage: Pick<Storage, 'tickets' | 'replies' | 'events' | 'people' | 'fields' | 'erasure'>;
  now: () => Date;
  newId: () => string;
  /** Called with the number of examined tickets. */
  onProgress?: (scanned: number) => void;
}

/** Result of an erasure. */
export interface Erasure {
  /** Whether a person has the address. */
  isKnown: boolean;
  /** Number of tickets that contained the address. */
  tickets: number;
}

/** Context of an erasure. */
interface ErasureContext {
  erase: Eraser;
  /** Custom fields visible to customers, who get a feed entry if a value changes. */
  fields: FieldSet;
}

/** Number of events per page. */
const BATCH = 500;

/**
 * Erases all addresses of a person and their name in people, tickets, replies, events and stored answers of idempotent
 * requests. The person is replaced last, so that an interrupted erasure is found and continued when it is repeated.
 * Their account is disconnected: its next sign-in adds a new person. Changed tickets appear in the change feed.
 *
 * @param email one address of the person, in lower case
 */
export async function erasePerson(deps: ErasureDeps, email: string): Promise<Erasure> {
  const person = (await deps.storage.people.findByEmail(email))?.person;
  const tickets = await eraseTargets(deps, toTargets(email, person));
  if (person) await replacePerson(deps, person.id);
  return { isKnown: person !== undefined, tickets };
}

/** Result of the deletion of an account. */
export interface AccountErasure {
  /** `disconnected`: the person has another account, which keeps their data. */
  outcome: 'erased' | 'disconnected' | 'unknown';
  personId?: string;
  /** Number of tickets that contained the person. */
  tickets: number;
}

/** Erases the person of a deleted account as `erasePerson` does, unless they have another account. Idempotent. */
export async function eraseAccount(deps: ErasureDeps, identity: Identity): Promise<AccountErasure> {
  const record = await deps.storage.people.findByIdentity(identity);
  if (!record) return { outcome: 'unknown', tickets: 0 };
  const { id: personId } = record.person;
  if (record.identities.length > 1) {
    await disconnect(deps, personId, identity);
    return { outcome: 'disconnected', personId, tickets: 0 };
  }
  const tickets = await eraseTargets(deps, toTargets(toPlaceholder(personId), record.person));
  await replacePerson(deps, personId);
  return { outcome: 'erased', personId, tickets };
}

/** Erases addresses and name of a person everywhere but in the person; returns the number of changed tickets. */
async function eraseTargets(deps: ErasureDeps, targets: readonly ErasureTarget[]): Promise<number> {
  const { storage } = deps;
  const fields = createFieldSet(await storage.fields.list());
  const tickets = new Set<string>();
  for (const target of targets) {
    const context = { erase: createEraser(target), fields };
    for await (const ticketId of scanAll(deps, target)) {
      if (await eraseTicket(deps, context, ticketId)) tickets.add(ticketId);
    }
    await eraseDefinitionEvents(deps, context.erase);
    await storage.erasure.removeRemains(target.email);
  }
  return tickets.size;
}

/** Counts what an erasure would change; the scan may count tickets that contain a longer address. */
export async function previewErasure(deps: ErasureDeps, email: string): Promise<Erasure> {
  const person = (await deps.storage.people.findByEmail(email))?.person;
  const tickets = new Set<string>();
  for (const target of toTargets(email, person)) {
    for await (const ticketId of scanAll(deps, target)) tickets.add(ticketId);
  }
  return { isKnown: person !== undefined, tickets: tickets.size };
}

/** @param email used if the person has no address, or if there is no such person */
function toTargets(email: string, person: Person | undefined): ErasureTarget[] {
  const addresses = person && person.addresses.length > 0 ? person.addresses : [email];
  return addresses.map((address) => ({ email: address, personId: person?.id }));
}

/** Replaces a person by an empty one with the same id. */
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

/** Removes an account from a person. */
function disconnect({ storage, now }: ErasureDeps, id: string, identity: Identity): Promise<true> {
  return retryWhenStale('person', async () => {
    const before = await storage.people.find(id);
    if (!before) return true;
    const identities = before.identities.filter((each) => !isDeepStrictEqual(each, identity));
    const record = nextPersonRecord(before, { identities }, now());
    const isWritten = await storage.people.write([{ expectedVersion: before.person.version, record }]);
    return isWritten || undefined;
  });
}

/** Yields the ids of the tickets that contain the address or the id, and reports progress after each page. */
async function* scanAll({ storage, onProgress }: ErasureDeps, target: ErasureTarget): AsyncIterable<string> {
  let scanned = 0;
  for await (const ticketIds of scanTickets(storage.erasure, target)) {
    yield* ticketIds;
    // An empty batch ends a page.
    if (ticketIds.length > 0) continue;
    scanned += SCAN_SIZE;
    onProgress?.(scanned);
  }
}

/** Erases a person in one ticket; returns whether anything changed. */
async function eraseTicket(
  { storage, now, newId }: ErasureDeps,
  { erase, fields }: ErasureContext,
  ticketId: string,
): Promise<boolean> {
  const rewriting = { rewrite: erase, by: system, fields, listsChanges: false };
  const { tickets, replies, people } = storage;
  const isRewritten = await rewriteTicket({ tickets, replies, people, now, newId }, rewriting, ticketId);
  return (await rewriteEvents(storage, erase, ticketId)) || isRewritten;
}

/** Administrators are the actors of events that belong to no ticket. */
async function eraseDefinitionEvents({ storage }: ErasureDeps, erase: Eraser): Promise<void> {
  const filter = { type: { any: definitionEventTypes } };
  let after: EventPosition | undefined;
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

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Storage } from '../storage.ts';
import { REMEMBERED_SECONDS } from './memory.ts';
import type { Person, PersonRecord } from './person.ts';
import { toFinishedTombstone } from './person-record.ts';
import type { PersonStore } from './person-store.ts';
import type { Repoint, Repointing } from './repoint.ts';
import { scanTickets } from './scan-tickets.ts';
import { type Doer, system, toActor } from './viewer.ts';

export interface MergedTicketsDeps {
  storage: Pick<Storage, 'people' | 'tickets' | 'erasure'>;
  repoint: Repoint;
  now: () => Date;
}

/** Moves the tickets of merged people to the survivors. All of it may be broken off at any place and done again. */
export interface MergedTickets {
  /**
   * Moves the tickets to which an index leads: those that the merged person asked for, is copied on or works on.
   *
   * @param mayGoOn asked before each batch
   * @returns whether it came to the end
   */
  moveIndexed(tombstone: PersonRecord, mayGoOn: () => boolean): Promise<boolean>;
  /**
   * Looks at every ticket, deleted ones too, and moves those that refer to the merged person anywhere; then the merge is no
   * longer pending, unless another process may still take an account for that person.
   */
  moveAll(tombstone: PersonRecord, mayGoOn: () => boolean): Promise<boolean>;
}

/** Moves the tickets of a person who was only named by an address to the account that has verified it. */
export type AdoptTickets = (tombstone: PersonRecord) => Promise<void>;

/** A sign-in waits this long until most of its tickets are moved. */
const ADOPTION_PATIENCE_MS = 5_000;
/** Number of tickets that are written at once: SQLite gathers them in one commit. */
const WRITTEN_AT_ONCE = 20;
/** Until then after a merge another process may remember who has an account, and add tickets as them. */
const GRACE_MS = 1000 * REMEMBERED_SECONDS + 200;

export function createMergedTickets({ storage, repoint, now }: MergedTicketsDeps): MergedTickets {
  const { people, tickets, erasure } = storage;

  async function* listIndexed(personId: string): AsyncIterable<readonly string[]> {
    const sort = { field: 'created_at', direction: 'asc' } as const;
    const query = { filter: {}, sort, limit: WRITTEN_AT_ONCE };
    for (const each of [{ reader: personId }, { filter: { assignee: { any: [personId] } } }]) {
      for (;;) {
        // Tickets that were rewritten no longer match.
        const page = await tickets.list({ ...query, ...each });
        if (page.length === 0) break;
        yield page.map(({ ticket }) => ticket.id);
      }
    }
  }

  const listAll = ({ id }: Person) => scanTickets(erasure, { email: id, personId: id }, WRITTEN_AT_ONCE);

  /** Resolves with whether it came to the end. */
  async function move(
    tombstone: PersonRecord,
    batches: AsyncIterable<readonly string[]>,
    mayGoOn: () => boolean,
  ): Promise<boolean> {
    const repointing = await toRepointing(people, tombstone);
    for await (const ticketIds of batches) {
      await repoint(ticketIds, repointing);
      await nextTurn();
      if (!mayGoOn()) return false;
    }
    return true;
  }

  return {
    moveIndexed: (tombstone, mayGoOn) => move(tombstone, listIndexed(tombstone.person.id), mayGoOn),
    async moveAll(tombstone, mayGoOn) {
      const startedAt = now().getTime();
      if (!(await move(tombstone, listAll(tombstone.person), mayGoOn))) return false;
      const { person, pendingMerge } = tombstone;
      if (pendingMerge && startedAt > pendingMerge.since + GRACE_MS) {
        // Another request was first and has done the same.
        await people.write([
          { expectedVersion: person.version, record: toFinishedTombstone(tombstone, now()) },
        ]);
      }
      return true;
    },
  };
}

/** The part of a merge that a sign-in does. Housekeeping moves the rest: deleted tickets and those that are only followed. */
export function createAdoption({ moveIndexed }: Pick<MergedTickets, 'moveIndexed'>): AdoptTickets {
  return async (tombstone) => {
    const until = performance.now() + ADOPTION_PATIENCE_MS;
    await moveIndexed(tombstone, () => performance.now() < until);
  };
}

async function toRepointing(
  people: Pick<PersonStore, 'find'>,
  { person, mergedInto = '', pendingMerge }: PersonRecord,
): Promise<Repointing> {
  const by = await toDoer(people, pendingMerge);
  let survivor = await people.find(mergedInto);
  while (survivor?.mergedInto !== undefined) survivor = await people.find(survivor.mergedInto);
  if (!survivor) throw new Error(`The person ${person.id} was merged into one who is not stored.`);
  return { fromId: person.id, to: survivor.person, by };
}

async function toDoer(
  people: Pick<PersonStore, 'find'>,
  pending: PersonRecord['pendingMerge'],
): Promise<Doer> {
  if (!pending || pending.clientId === null) return system;
  const { personId, clientId } = pending;
  const person = personId === null ? undefined : (await people.find(personId))?.person;
  return { actor: toActor(person, clientId), clientId };
}

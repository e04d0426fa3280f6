import { setImmediate as nextTurn } from 'node:timers/promises';
import { scanTickets } from '../erasure/scan-tickets.ts';
import type { Storage } from '../storage.ts';
import type { Person, PersonRecord } from './person.ts';
import { toFinishedTombstone } from './person-record.ts';
import type { PersonStore } from './person-store.ts';
import type { Repoint, Repointing } from './repoint.ts';
import { CACHE_SECONDS } from './sign-in.ts';
import { type ChangeAuthor, system, toActor } from './viewer.ts';

export interface MergedTicketsDeps {
  storage: Pick<Storage, 'people' | 'tickets' | 'erasure'>;
  repoint: Repoint;
  now: () => Date;
}

/** Moves the tickets of merged people to the survivors. It can be interrupted at any point and repeated. */
export interface MergedTickets {
  /**
   * Moves the tickets that an index finds: those with the merged person as requester, in copy or as assignee.
   *
   * @param canContinue called after each batch; `false` ends the run
   * @returns whether all of them are moved
   */
  moveIndexed(tombstone: PersonRecord, canContinue: () => boolean): Promise<boolean>;
  /**
   * Scans all tickets, deleted ones included, and moves the ones that refer to the merged person. The merge is then no
   * longer pending, unless another process may still write tickets as that person.
   */
  moveAll(tombstone: PersonRecord, canContinue: () => boolean): Promise<boolean>;
}

/** Moves the tickets of a person without an account to the account that has verified their address. */
export type AdoptTickets = (tombstone: PersonRecord) => Promise<void>;

/** Maximum time in milliseconds that a sign-in spends on moving tickets. */
const ADOPTION_LIMIT_MS = 5_000;
/** Number of tickets per batch; SQLite writes a batch in one commit. */
const BATCH_SIZE = 20;
/**
 * Time in milliseconds after a merge in which another process may have cached the merged person and add tickets as
 * them.
 */
const GRACE_MS = 1000 * CACHE_SECONDS + 200;

export function createMergedTickets({ storage, repoint, now }: MergedTicketsDeps): MergedTickets {
  const { people, tickets, erasure } = storage;

  async function* listIndexed(personId: string): AsyncIterable<readonly string[]> {
    const sort = { field: 'created_at', direction: 'asc' } as const;
    const query = { filter: {}, sort, limit: BATCH_SIZE };
    for (const each of [{ reader: personId }, { filter: { assignee: { any: [personId] } } }]) {
      for (;;) {
        // Tickets that were rewritten no longer match.
        const page = await tickets.list({ ...query, ...each });
        if (page.length === 0) break;
        yield page.map(({ ticket }) => ticket.id);
      }
    }
  }

  const listAll = ({ id }: Person) => scanTickets(erasure, { email: id, personId: id }, BATCH_SIZE);

  /** Moves batches of tickets; resolves with whether all of them are moved. */
  async function move(
    tombstone: PersonRecord,
    batches: AsyncIterable<readonly string[]>,
    canContinue: () => boolean,
  ): Promise<boolean> {
    const repointing = await toRepointing(people, tombstone);
    for await (const ticketIds of batches) {
      await repoint(ticketIds, repointing);
      await nextTurn();
      if (!canContinue()) return false;
    }
    return true;
  }

  return {
    moveIndexed: (tombstone, canContinue) => move(tombstone, listIndexed(tombstone.person.id), canContinue),
    async moveAll(tombstone, canContinue) {
      const startedAt = now().getTime();
      if (!(await move(tombstone, listAll(tombstone.person), canContinue))) return false;
      const { person, pendingMerge } = tombstone;
      if (pendingMerge && startedAt > pendingMerge.since + GRACE_MS) {
        // A stale write is ignored, because another run has then finished the merge.
        await people.write([
          { expectedVersion: person.version, record: toFinishedTombstone(tombstone, now()) },
        ]);
      }
      return true;
    },
  };
}

/**
 * Creates the part of a merge that a sign-in does. Housekeeping moves deleted tickets and tickets that the person only
 * follows.
 */
export function createAdoption({ moveIndexed }: Pick<MergedTickets, 'moveIndexed'>): AdoptTickets {
  return async (tombstone) => {
    const until = performance.now() + ADOPTION_LIMIT_MS;
    await moveIndexed(tombstone, () => performance.now() < until);
  };
}

async function toRepointing(
  people: Pick<PersonStore, 'find'>,
  { person, mergedInto = '', pendingMerge }: PersonRecord,
): Promise<Repointing> {
  const by = await toMergeAuthor(people, pendingMerge);
  let survivor = await people.find(mergedInto);
  while (survivor?.mergedInto !== undefined) survivor = await people.find(survivor.mergedInto);
  if (!survivor) throw new Error(`The person ${person.id} was merged into one who is not stored.`);
  return { fromId: person.id, to: survivor.person, by };
}

async function toMergeAuthor(
  people: Pick<PersonStore, 'find'>,
  pending: PersonRecord['pendingMerge'],
): Promise<ChangeAuthor> {
  if (!pending || pending.clientId === null) return system;
  const { personId, clientId } = pending;
  const person = personId === null ? undefined : (await people.find(personId))?.person;
  return { actor: toActor(person, clientId), clientId };
}

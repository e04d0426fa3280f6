import { AppError } from '@keydesk/errors';
import { invalidParameter } from '../../wire/faults/validation-errors.ts';
import type { DefinitionCatalogue } from '../catalogues.ts';
import type { TicketWriter } from '../commit/ticket-writer.ts';
import type { AuditedWrite } from '../history/audited-write.ts';
import { toDefinitionEvent } from '../history/definition-event.ts';
import type { ChangeAuthor } from '../people/viewer.ts';
import type { TicketQuery, TicketStore } from '../tickets/ticket-store.ts';
import { nextVersion } from '../versioned-resource.ts';
import { isBeingReplaced } from './conflicts.ts';
import { type Definition, type DefinitionRef, kindNames } from './definition.ts';
import type { DefinitionSet } from './definition-set.ts';
import type { DefinitionStore } from './definition-store.ts';
import { describeDefinitionChange } from './definition-view.ts';

export interface ReplacementDeps {
  store: DefinitionStore;
  tickets: Pick<TicketStore, 'list' | 'findAll'>;
  writer: Pick<TicketWriter, 'commitPlan'>;
  /** Of a process that answers requests. */
  catalogue?: Pick<DefinitionCatalogue, 'invalidate'>;
  now: () => Date;
  newId: () => string;
}

/**
 * Replaces a status, type or priority on all tickets by its `replaced_by`, then removes it. No ticket can choose it any
 * more, so that each batch leaves fewer tickets. Any process can continue an interrupted replacement.
 */
export interface Replacement {
  /** @param isBounded Whether to stop after some tickets, or when these are busy, as a request has to */
  carryOut(ref: DefinitionRef, how: { by: ChangeAuthor; isBounded: boolean }): Promise<void>;
  /** Removes a status from the transitions of the others, or puts another in its place. */
  detach(ref: DefinitionRef, how: { by: ChangeAuthor; replacement?: string }): Promise<void>;
}

/** The number of tickets that share a transaction. */
const BATCH = 20;
/** The number of tickets that one request changes. */
const TICKETS_PER_REQUEST = 1_000;

export function createReplacement(deps: ReplacementDeps): Replacement {
  const { store, tickets, writer, catalogue, now, newId } = deps;

  function toAudited(by: ChangeAuthor, before: Definition, after: Definition | undefined): AuditedWrite {
    return { event: toDefinitionEvent(describeDefinitionChange(before, after), { by, now: now(), newId }) };
  }

  /** Returns the ids of some tickets that have the definition, deleted ones last. */
  async function findTickets({ kind, id }: DefinitionRef, limit: number): Promise<readonly string[]> {
    const filter = { [kind]: { any: [id] } };
    const query: TicketQuery = { filter, sort: { field: 'created_at', direction: 'asc' }, limit };
    const found = await tickets.list(query);
    const records = found.length > 0 ? found : await tickets.list({ ...query, isDeleted: true });
    return records.map(({ ticket }) => ticket.id);
  }

  async function replaceOn(ids: readonly string[], { kind, id, replaced_by }: Definition, by: ChangeAuthor) {
    await writer.commitPlan(ids, async () => {
      const records = await tickets.findAll(ids);
      const users = records.filter(({ ticket }) => ticket[kind] === id);
      const changes = users.map((before) => ({ before, after: { ...before.ticket, [kind]: replaced_by } }));
      return { changes, by, toAnswer: () => null };
    });
  }

  /** Removes the definition. A ticket whose change began before the replacement may become visible only now. */
  async function remove(definition: Definition, by: ChangeAuthor): Promise<void> {
    try {
      await store.remove(definition, definition.version, toAudited(by, definition, undefined));
    } catch (err) {
      if (!(err instanceof AppError && err.code === 'in_use')) throw err;
    } finally {
      catalogue?.invalidate();
    }
  }

  async function detach(
    { kind, id }: DefinitionRef,
    { by, replacement }: { by: ChangeAuthor; replacement?: string },
  ): Promise<void> {
    const naming = (await store.list()).filter(
      (each) => each.kind === kind && each.transitions?.includes(id),
    );
    for (const definition of naming) {
      const others = (definition.transitions ?? []).map((each) => (each === id ? replacement : each));
      const kept = others.filter((each) => each !== undefined && each !== definition.id);
      const next = nextVersion(definition, { transitions: [...new Set(kept)] as string[] }, now());
      await store.replace(next, definition.version, toAudited(by, definition, next));
    }
    // A status that changed in the meantime may still contain the id.
    if (naming.length > 0) await detach({ kind, id }, { by, ...(replacement && { replacement }) });
  }

  async function carryOut(ref: DefinitionRef, by: ChangeAuthor, limit: number): Promise<void> {
    let left = limit;
    while (left > 0) {
      const definition = await store.find(ref);
      if (!definition || definition.replaced_by === null) return;
      await detach(ref, { by, replacement: definition.replaced_by });
      const ids = await findTickets(ref, Math.min(left, BATCH));
      if (ids.length === 0) await remove(definition, by);
      else await replaceOn(ids, definition, by);
      left -= ids.length;
    }
  }

  return {
    detach,
    async carryOut(ref, { by, isBounded }) {
      if (!isBounded) return carryOut(ref, by, Number.POSITIVE_INFINITY);
      try {
        await carryOut(ref, by, TICKETS_PER_REQUEST);
      } catch (err) {
        // The replacement has begun; the next request or housekeeping continues it.
        if (!(err instanceof AppError && err.code === 'unavailable')) throw err;
      }
    },
  };
}

/**
 * Returns a definition in the state of being replaced: hidden, and not choosable. Returns the same object if the
 * replacement has already begun.
 *
 * @param by id of the replacement
 * @throws {AppError} `validation_failed` for an invalid replacement, `conflict` if a third definition replaces it
 * already
 */
export function withReplacement(
  current: Definition,
  by: string,
  { set, now }: { set: DefinitionSet; now: Date },
): Definition {
  if (current.replaced_by === by) return current;
  if (current.replaced_by !== null) throw isBeingReplaced(current, current.replaced_by);
  const possible = set
    .of(current.kind)
    .filter(({ id, hidden, category }) => id !== current.id && !hidden && category === current.category)
    .map(({ id }) => id);
  if (possible.includes(by)) return nextVersion(current, { hidden: true, replaced_by: by }, now);
  throw invalidParameter('replace_with', `must be one of ${possible.join(', ')}`);
}

/** @throws {AppError} `conflict` */
export function assertNotBuiltIn({ kind, id, built_in }: Definition): void {
  if (!built_in) return;
  const { noun } = kindNames[kind];
  throw new AppError('conflict', `The ${noun} ${id} is built in and can't be removed; hide it instead.`);
}

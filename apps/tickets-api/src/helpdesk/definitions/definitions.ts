import { AppError } from '@keydesk/errors';
import type { DefinitionCatalogue } from '../catalogues.ts';
import type { RepeatableRequest } from '../commit/idempotency.ts';
import type { ChangeResult } from '../commit/replay.ts';
import type { TicketWriter } from '../commit/ticket-writer.ts';
import { toChangeAuthor, type Viewer } from '../people/viewer.ts';
import { assertAdmin } from '../tickets/permissions.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import {
  type CurrentState,
  createVersionedResource,
  nextVersion,
  type ResourceChange,
} from '../versioned-resource.ts';
import { findBuiltIn } from './built-in.ts';
import { definedAlready, isBeingReplaced, withUsers } from './conflicts.ts';
import { type Definition, type DefinitionKind, definitionKinds, kindNames } from './definition.ts';
import { createDefinitionSet, type DefinitionSet } from './definition-set.ts';
import type { DefinitionStore } from './definition-store.ts';
import { type DefinitionView, describeDefinitionChange, toView } from './definition-view.ts';
import { assertConsistent, type NewDefinition, type ToContent } from './edits.ts';
import { assertNotBuiltIn, createReplacement, type Replacement, withReplacement } from './replacement.ts';

export interface DefinitionsDeps {
  store: DefinitionStore;
  catalogue: Pick<DefinitionCatalogue, 'invalidate'>;
  tickets: Pick<TicketStore, 'list' | 'findAll' | 'count'>;
  writer: Pick<TicketWriter, 'commitPlan'>;
  now: () => Date;
  newId: () => string;
}

/** Operations on the definitions of one kind. All roles read them; administrators write them. */
export interface Definitions {
  /** Returns the definitions in order. */
  list(viewer: Viewer): Promise<readonly DefinitionView[]>;
  /** @throws {AppError} `not_found` */
  get(viewer: Viewer, id: string): Promise<DefinitionView>;
  /** @throws {AppError} `forbidden`, `validation_failed`, `conflict` for an id in use or one too many, `idempotency_mismatch` */
  add(
    viewer: Viewer,
    input: NewDefinition,
    requests?: readonly RepeatableRequest[],
  ): Promise<ChangeResult<DefinitionView>>;
  /**
   * @throws {AppError} `not_found`, `forbidden`, `precondition_failed`, `validation_failed`, `idempotency_mismatch`,
   * `conflict` for one that is being replaced, and whatever `toContent` throws
   */
  change(change: ResourceChange<DefinitionView>, toContent: ToContent): Promise<ChangeResult<DefinitionView>>;
  /**
   * Removes a definition that no ticket has; or, `replace_with` another, gives tickets that one first: some of them
   * before it resolves, the others later where there are many (`Replacement`). Resolves with the last version of the
   * definition.
   *
   * @throws {AppError} `not_found`, `forbidden`, `precondition_failed`, `idempotency_mismatch`, `in_use`; `conflict`
   * for a built-in one; `validation_failed` for another that can't take its place
   */
  remove(
    change: ResourceChange<DefinitionView>,
    parameters: { replace_with?: string | undefined },
  ): Promise<ChangeResult<DefinitionView>>;
}

/** Creates the operations on each kind of definition. */
export function createDefinitions(deps: DefinitionsDeps): Readonly<Record<DefinitionKind, Definitions>> {
  const replacement = createReplacement(deps);
  const create = (kind: DefinitionKind) => createDefinitionsOfKind(kind, replacement, deps);
  return { status: create('status'), type: create('type'), priority: create('priority') };
}

function createDefinitionsOfKind(
  kind: DefinitionKind,
  replacement: Replacement,
  deps: DefinitionsDeps,
): Definitions {
  const { store, tickets, now } = deps;
  const { changes, find, load } = createStoredDefinitions(kind, deps);
  return {
    async list() {
      const set = createDefinitionSet(await store.list());
      return set.of(kind).map((each) => toView(each, set));
    },
    async get(_, id) {
      const stored = await find(id);
      return stored.toView(stored.current);
    },
    async add(viewer, input, requests) {
      assertAdmin(viewer, `define ${kindNames[kind].nouns}`);
      const definition = createDefinition(kind, input, now());
      if (findBuiltIn(definition)) throw definedAlready(definition);
      const set = withNext(createDefinitionSet(await store.list()), definition);
      assertConsistent(definition, set);
      const added = { resource: definition, answer: toView(definition, set) };
      return changes.add({ viewer, requests }, added, (audited) => store.add(definition, audited));
    },
    change: (change, toContent) =>
      changes.change(
        change,
        () => load(change),
        ({ current, set }, view: DefinitionView) => {
          const next = nextVersion(current, toContent(view), now());
          if (next === current) return current;
          if (current.replaced_by !== null) throw isBeingReplaced(current, current.replaced_by);
          assertConsistent(next, set);
          return next;
        },
      ),
    async remove(change, { replace_with }) {
      const ref = { kind, id: change.id };
      const toNext = ({ current, set }: StoredDefinition) => {
        assertNotBuiltIn(current);
        const id = replace_with ?? current.replaced_by;
        return id === null ? undefined : withReplacement(current, id, { set, now: now() });
      };
      const result = await changes
        .change(change, () => load(change), toNext)
        .catch(async (err) => {
          throw await withUsers(err, ref, tickets);
        });
      const by = toChangeAuthor(change.viewer);
      if (result.answer.replaced_by !== null) await replacement.carryOut(ref, { by, isBounded: true });
      else if (!result.isReplayed) await replacement.detach(ref, { by });
      return result;
    },
  };
}

/** A stored definition, and the set that it belongs to. */
interface StoredDefinition extends CurrentState<Definition, DefinitionView> {
  set: DefinitionSet;
}

/** Reads and conditionally writes definitions of one kind. */
function createStoredDefinitions(kind: DefinitionKind, { store, catalogue, now, newId }: DefinitionsDeps) {
  const { noun, nouns } = kindNames[kind];
  const changes = createVersionedResource<Definition>({
    what: noun,
    write: (current, next, audited) =>
      next ? store.replace(next, current.version, audited) : store.remove(current, current.version, audited),
    writeNothing: (request) => store.remove({ kind, id: '' }, 0, { request }),
    invalidate: catalogue.invalidate,
    describe: describeDefinitionChange,
    now,
    newId,
  });

  async function find(id: string): Promise<StoredDefinition> {
    const set = createDefinitionSet(await store.list());
    const current = set.find({ kind, id });
    if (!current) throw new AppError('not_found', `There is no ${noun} with this id.`);
    return { current, set, toView: (each) => toView(each, each === current ? set : withNext(set, each)) };
  }

  async function load({ viewer, id }: ResourceChange<DefinitionView>): Promise<StoredDefinition> {
    const stored = await find(id);
    assertAdmin(viewer, `change ${nouns}`);
    return stored;
  }

  return { changes, find, load };
}

function withNext(set: DefinitionSet, next: Definition): DefinitionSet {
  return createDefinitionSet([...definitionKinds.flatMap(set.of), next]);
}

function createDefinition(kind: DefinitionKind, input: NewDefinition, now: Date): Definition {
  const at = now.toISOString();
  return Object.freeze({
    kind,
    category: null,
    transitions: null,
    ...input,
    replaced_by: null,
    built_in: false,
    created_at: at,
    updated_at: at,
    version: 1,
  });
}

import {
  type Definition,
  type DefinitionKind,
  type DefinitionRef,
  MAX_DEFINITIONS,
  statusCategories,
} from './definition.ts';

export const builtInTypes = ['question', 'incident', 'problem', 'task'] as const;
export const builtInPriorities = ['low', 'normal', 'high', 'urgent'] as const;

/** Defaults of a new ticket. They can't be hidden. */
export const defaultIds = { status: 'new', priority: 'normal' } as const;

/** Creation time of built-in definitions. */
const at = '2026-01-01T00:00:00.000Z';
const STEP = 10;

/** Built-in definitions in their initial state; a changed one is stored. */
export const builtInDefinitions: readonly Definition[] = Object.freeze([
  ...statusCategories.map((id) => createBuiltIn({ kind: 'status', id }, { category: id })),
  ...builtInTypes.map((id, i) => createBuiltIn({ kind: 'type', id }, { position: i * STEP })),
  ...builtInPriorities.map((id, i) => createBuiltIn({ kind: 'priority', id }, { position: (i + 1) * STEP })),
]);

export function findBuiltIn({ kind, id }: DefinitionRef): Definition | undefined {
  return builtInDefinitions.find((each) => each.kind === kind && each.id === id);
}

/** Returns the maximum number of added definitions of a kind. */
export function maxAdded(kind: DefinitionKind): number {
  return MAX_DEFINITIONS - builtInDefinitions.filter((each) => each.kind === kind).length;
}

function createBuiltIn(ref: DefinitionRef, members: Partial<Definition>): Definition {
  return Object.freeze({
    ...ref,
    title: ref.id.charAt(0).toUpperCase() + ref.id.slice(1),
    titles: Object.freeze({}),
    position: 0,
    hidden: false,
    category: null,
    transitions: null,
    replaced_by: null,
    built_in: true,
    created_at: at,
    updated_at: at,
    version: 1,
    ...members,
  });
}

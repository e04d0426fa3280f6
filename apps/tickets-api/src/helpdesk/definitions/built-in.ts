import { statusCategories } from './categories.ts';
import { type Definition, type DefinitionKind, type DefinitionRef, MAX_DEFINITIONS } from './definition.ts';

export const builtInTypes = ['question', 'incident', 'problem', 'task'] as const;
export const builtInPriorities = ['low', 'normal', 'high', 'urgent'] as const;

/** Defaults of a new ticket. They can't be hidden. */
export const defaultIds = { status: 'new', priority: 'normal' } as const;

/** Built-in definitions are as old as the API. */
const at = '2026-01-01T00:00:00.000Z';
const STEP = 10;

/** The built-in definitions as they are until they are changed; a change of one is stored. */
export const builtInDefinitions: readonly Definition[] = Object.freeze([
  ...statusCategories.map((id) => createBuiltIn({ kind: 'status', id }, { category: id })),
  ...builtInTypes.map((id, i) => createBuiltIn({ kind: 'type', id }, { position: i * STEP })),
  ...builtInPriorities.map((id, i) => createBuiltIn({ kind: 'priority', id }, { position: (i + 1) * STEP })),
]);

export function findBuiltIn({ kind, id }: DefinitionRef): Definition | undefined {
  return builtInDefinitions.find((each) => each.kind === kind && each.id === id);
}

/** The maximum number of definitions of a kind beside the built-in ones. */
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

import type { FieldError } from '@keydesk/errors';
import type { z } from 'zod';
import { invalidData } from '../../wire/faults/validation-errors.ts';
import { type Body, createInputParser } from '../../wire/input/input.ts';
import { patchMembers } from '../../wire/input/merge-patch.ts';
import type { JsonObject } from '../../wire/schema/json-object.ts';
import { createReadOnly, withEtag } from '../../wire/schema/read-only.ts';
import { defaultIds } from './built-in.ts';
import { type Definition, type DefinitionKind, isPassable, kindNames } from './definition.ts';
import type { DefinitionSet } from './definition-set.ts';
import {
  contentSchemas,
  type DefinitionView,
  newSchemas,
  ticketPrioritySchema,
  ticketStatusSchema,
  ticketTypeSchema,
} from './definition-view.ts';

/** The members of a definition that can be written. */
export type DefinitionContent = Pick<Definition, 'title' | 'titles' | 'position' | 'hidden'> &
  Partial<Pick<Definition, 'transitions'>>;

/** A definition that a request adds. */
export type NewDefinition = DefinitionContent &
  Pick<Definition, 'id'> &
  Partial<Pick<Definition, 'category'>>;

/** Computes the requested content from the definition as it is sent. */
export type ToContent = (view: DefinitionView) => DefinitionContent;

/** Bodies of `PUT`: any writable members, and read-only ones with their current values. */
export const editSchemas = {
  status: withEtag(ticketStatusSchema).partial(),
  type: withEtag(ticketTypeSchema).partial(),
  priority: withEtag(ticketPrioritySchema).partial(),
} as const satisfies Record<DefinitionKind, z.ZodObject>;

/** Reads the bodies of requests that write definitions of one kind. */
export interface DefinitionEdits {
  /** @throws {AppError} `validation_failed` with every fault */
  parseNew(body: Body): NewDefinition;
  /** @throws {AppError} `validation_failed` with every fault */
  parseEdit(body: Body): JsonObject;
  /**
   * Returns the content that a `PUT` requests: members that are not given stay.
   *
   * @throws {AppError} `precondition_failed` for an outdated copy, `validation_failed` for another read-only member
   */
  toContent(view: DefinitionView, edit: JsonObject): DefinitionContent;
  /**
   * Returns the content that a merge patch requests; a removed member gets its default. @throws {AppError} as
   * `toContent`
   */
  toPatchedContent(view: DefinitionView, patch: JsonObject): DefinitionContent;
}

/** Members as they are sent: the position of a priority is called its rank. */
type WireContent = Omit<DefinitionContent, 'position'> & { position?: number; rank?: number };

export function createDefinitionEdits(kind: DefinitionKind): DefinitionEdits {
  const readOnly = createReadOnly<DefinitionView & { category?: string; can_become?: unknown }>({
    what: kindNames[kind].noun,
    immutable: ['id', 'category', 'built_in', 'created_at'],
    serverManaged: ['can_become', 'replaced_by'],
  });
  const parseNew = createInputParser<z.ZodType<WireContent & { id: string }>>(newSchemas[kind]);
  const parseEdit = createInputParser<z.ZodType<object>>(editSchemas[kind]);
  const parseContent = createInputParser<z.ZodType<WireContent>>(contentSchemas[kind]);
  return {
    parseNew: (body) => toMembers(parseNew(body)),
    parseEdit: (body) => parseEdit(body) as JsonObject,
    toContent(view, edit) {
      const written = readOnly.checkAndPick(view, edit);
      return toMembers({ ...readOnly.pickWritable(view), ...written } as unknown as WireContent);
    },
    toPatchedContent(view, patch) {
      const written = readOnly.checkAndPick(view, patch);
      const value = patchMembers(readOnly.pickWritable(view), written);
      return toMembers(parseContent({ format: 'json', value }));
    },
  };
}

function toMembers<Content extends WireContent>({ position, rank, ...content }: Content) {
  return { ...content, position: rank ?? position ?? 0 };
}

/**
 * Rejects a hidden default, and transitions that the category does not allow.
 *
 * @throws {AppError} `validation_failed` with every fault
 */
export function assertConsistent(definition: Definition, set: DefinitionSet): void {
  const { kind, id, hidden, transitions } = definition;
  const errors: FieldError[] = [];
  if (hidden && kind !== 'type' && defaultIds[kind] === id) {
    const message = `must be false: this ${kindNames[kind].noun} is the default of new tickets`;
    errors.push({ field: 'hidden', code: 'invalid_value', message });
  }
  const possible = kind === 'status' ? toPossible(definition, set) : [];
  const refused = (transitions ?? []).filter((each) => !possible.includes(each));
  if (refused.length > 0) {
    const list = possible.join(', ') || 'none';
    const message = `must not have ${refused.join(', ')}; allowed in this category: ${list}`;
    errors.push({ field: 'transitions', code: 'invalid_value', message });
  }
  if (errors.length > 0) throw invalidData(errors);
}

/** Returns the ids that the transitions of a status may contain. */
function toPossible({ id, category }: Definition, set: DefinitionSet): readonly string[] {
  const others = set.of('status').filter((each) => each.id !== id);
  const isReachable = (other: Definition) =>
    category !== null && other.category !== null && isPassable(category, other.category);
  return others.filter(isReachable).map((each) => each.id);
}

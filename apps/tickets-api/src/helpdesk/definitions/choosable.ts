import type { FieldError } from '@keydesk/errors';
import { invalidData } from '../../wire/faults/validation-errors.ts';
import { findBuiltIn } from './built-in.ts';
import { type DefinitionKind, type DefinitionRef, definitionKinds } from './definition.ts';
import type { DefinitionSet } from './definition-set.ts';

/** Fields of a ticket that hold the id of a definition. */
type DefinedFields = { readonly [Kind in DefinitionKind]?: string | null | undefined };

/**
 * Rejects values that can't be chosen. Checks only changed values: a ticket keeps its values when a definition is
 * hidden.
 *
 * @throws {AppError} `validation_failed`, listing for each field the ids to use
 */
export function assertChoosable(definitions: DefinitionSet, fields: DefinedFields): void {
  const errors = findUnchoosable(definitions, fields);
  if (errors.length > 0) throw invalidData(errors);
}

/** Returns a fault for each field whose value can't be chosen, with the ids to use. */
export function findUnchoosable(
  definitions: DefinitionSet,
  fields: { readonly [Kind in DefinitionKind]?: unknown },
): readonly FieldError[] {
  return definitionKinds.flatMap((kind): FieldError[] => {
    const id = fields[kind];
    const choosable = definitions.choosable(kind);
    if (typeof id !== 'string' || choosable.includes(id)) return [];
    const isHidden = definitions.find({ kind, id }) !== undefined;
    const reason = isHidden ? `; ${id} is hidden and can no longer be chosen` : '';
    const message = `must be one of ${choosable.join(', ')}${reason}`;
    return [{ field: kind, code: isHidden ? 'hidden' : 'not_defined', message }];
  });
}

/** Returns the definitions that a change newly sets, except built-in ones, which are never removed. */
export function findNewlyChosen(
  before: DefinedFields = {},
  after: DefinedFields = {},
): readonly DefinitionRef[] {
  return definitionKinds.flatMap((kind): DefinitionRef[] => {
    const id = after[kind];
    const isChosen = typeof id === 'string' && id !== before[kind] && !findBuiltIn({ kind, id });
    return isChosen ? [{ kind, id }] : [];
  });
}

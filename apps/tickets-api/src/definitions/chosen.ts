import { AppError, type FieldError } from '@keydesk/http';
import { findBuiltIn } from './built-in.ts';
import { type DefinitionKind, type DefinitionRef, definitionKinds } from './definition.ts';
import type { DefinitionSet } from './definition-set.ts';

/** The fields of a ticket that have the id of a definition. */
type DefinedFields = { readonly [Kind in DefinitionKind]?: string | null | undefined };

/**
 * Rejects values that can't be chosen. A ticket keeps what it has, whatever became of the definition: only what is to be
 * different is checked.
 *
 * @throws {AppError} `validation_failed`, listing for each field the ids to use
 */
export function assertChoosable(definitions: DefinitionSet, fields: DefinedFields): void {
  const errors = findUnchoosable(definitions, fields);
  if (errors.length > 0) {
    throw new AppError('validation_failed', 'The data is invalid; see errors.', { errors });
  }
}

/** The fields whose values can't be chosen, with the ids to use. */
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

/** The definitions that a ticket newly has, but for built-in ones, which are never removed. */
export function findChosen(before: DefinedFields = {}, after: DefinedFields = {}): readonly DefinitionRef[] {
  return definitionKinds.flatMap((kind): DefinitionRef[] => {
    const id = after[kind];
    const isChosen = typeof id === 'string' && id !== before[kind] && !findBuiltIn({ kind, id });
    return isChosen ? [{ kind, id }] : [];
  });
}

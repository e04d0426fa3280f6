import { AppError } from '@keydesk/errors';
import { invalidParameter } from '../../wire/validation-errors.ts';
import { nextVersion } from './conditional-changes.ts';
import { isBeingReplaced } from './conflicts.ts';
import { type Definition, kindNames } from './definition.ts';
import type { DefinitionSet } from './definition-set.ts';

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

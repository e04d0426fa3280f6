import { AppError } from '@keydesk/http';
import { type DefinitionRef, kindNames, MAX_DEFINITIONS } from './definition.ts';

/** The id of a new definition is that of another. */
export function definedAlready({ kind, id }: DefinitionRef, cause?: unknown): AppError {
  const { noun } = kindNames[kind];
  return new AppError('conflict', `There is a ${noun} ${id} already; choose another id.`, { cause });
}

/** There is no room for another definition. */
export function tooManyDefinitions({ kind }: DefinitionRef): AppError {
  const { nouns } = kindNames[kind];
  return new AppError(
    'conflict',
    `There are ${MAX_DEFINITIONS} ${nouns}, which is the maximum; remove one first.`,
  );
}

/** The one that is to take the place of another is not there, or is being replaced itself. */
export function noReplacement({ kind, id }: DefinitionRef): AppError {
  const { noun } = kindNames[kind];
  return new AppError('conflict', `The ${noun} ${id} is gone or being replaced; choose another.`);
}

/** The definition is to take the place of another, and has to stay until that is done. */
export function isReplacement({ kind, id }: DefinitionRef): AppError {
  const { noun } = kindNames[kind];
  return new AppError(
    'conflict',
    `The ${noun} ${id} is taking the place of another; try again when that is removed.`,
  );
}

/** The definition is being replaced, and changes no more. */
export function isBeingReplaced({ kind, id }: DefinitionRef, by: string): AppError {
  const { noun } = kindNames[kind];
  return new AppError('conflict', `The ${noun} ${id} is being replaced by ${by}, and can no longer change.`);
}

/** Tickets still have it. @param tickets how many, where they were counted */
export function definitionInUse({ kind, id }: DefinitionRef, tickets?: number): AppError {
  const { noun, singular } = kindNames[kind];
  const users = tickets === undefined ? 'tickets' : `${tickets} tickets`;
  return new AppError(
    'in_use',
    `The ${noun} ${id} is in use by ${users}. To give them another ${noun}, DELETE /${singular}/${id}?replace_with= with the id of that one.`,
    tickets === undefined ? {} : { extensions: { tickets } },
  );
}

/** A request chose what is gone or being replaced. */
export function noLongerChoosable({ kind, id }: DefinitionRef): AppError {
  const errors = [
    {
      field: kind,
      code: 'not_defined',
      message: `must be another one; ${id} is gone or being replaced`,
    },
  ];
  return new AppError('validation_failed', 'The data is invalid; see errors.', { errors });
}

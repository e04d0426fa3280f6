import { AppError } from '@keydesk/errors';
import { invalidData } from '../../wire/faults/validation-errors.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import { type DefinitionRef, kindNames, MAX_DEFINITIONS } from './definition.ts';

/** Returns the error for a new definition whose id is in use. */
export function definedAlready({ kind, id }: DefinitionRef, cause?: unknown): AppError {
  const { noun } = kindNames[kind];
  return new AppError('conflict', `The ${noun} ${id} already exists; choose another id.`, { cause });
}

/** Returns the error for one definition too many. */
export function tooManyDefinitions({ kind }: DefinitionRef): AppError {
  const { nouns } = kindNames[kind];
  return new AppError('conflict', `The maximum of ${MAX_DEFINITIONS} ${nouns} is reached; remove one first.`);
}

/** Returns the error for a replacement that does not exist, or is being replaced itself. */
export function noReplacement({ kind, id }: DefinitionRef): AppError {
  const { noun } = kindNames[kind];
  return new AppError('conflict', `The ${noun} ${id} was removed or is being replaced; choose another.`);
}

/** Returns the error for the removal of a definition that currently replaces another. */
export function isReplacement({ kind, id }: DefinitionRef): AppError {
  const { noun } = kindNames[kind];
  return new AppError(
    'conflict',
    `The ${noun} ${id} is replacing another one; retry when that one is removed.`,
  );
}

/** Returns the error for a change of a definition that is being replaced. */
export function isBeingReplaced({ kind, id }: DefinitionRef, by: string): AppError {
  const { noun } = kindNames[kind];
  return new AppError('conflict', `The ${noun} ${id} is being replaced by ${by}, and can no longer change.`);
}

/** Returns the error for the removal of a definition that tickets have. @param tickets number of tickets, if counted */
export function definitionInUse({ kind, id }: DefinitionRef, tickets?: number): AppError {
  const { noun, singular } = kindNames[kind];
  const users = tickets === undefined ? 'tickets' : `${tickets} tickets`;
  return new AppError(
    'in_use',
    `The ${noun} ${id} is in use by ${users}. To replace it, send DELETE /${singular}/${id}?replace_with= with the id of another ${noun}.`,
    tickets === undefined ? {} : { extensions: { tickets } },
  );
}

/** Returns the error for choosing a definition that is removed or being replaced. */
export function noLongerChoosable({ kind, id }: DefinitionRef): AppError {
  const errors = [
    {
      field: kind,
      code: 'not_defined',
      message: `must be a different id; ${id} was removed or is being replaced`,
    },
  ];
  return invalidData(errors);
}

const MAX_COUNTED = 10_000;

/** Returns the error; an `in_use` error gets the number of tickets that have the definition, deleted ones included. */
export async function withUsers(
  err: unknown,
  ref: DefinitionRef,
  tickets: Pick<TicketStore, 'count'>,
): Promise<unknown> {
  if (!(err instanceof AppError && err.code === 'in_use')) return err;
  const filter = { [ref.kind]: { any: [ref.id] } };
  const sort = { field: 'created_at', direction: 'asc' } as const;
  const query = { filter, sort, limit: MAX_COUNTED + 1 };
  const count = (await tickets.count(query)) + (await tickets.count({ ...query, isDeleted: true }));
  return definitionInUse(ref, count);
}

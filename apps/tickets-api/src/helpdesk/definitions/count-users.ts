import { AppError } from '@keydesk/errors';
import type { TicketStore } from '../tickets/ticket-store.ts';
import { definitionInUse } from './conflicts.ts';
import type { DefinitionRef } from './definition.ts';

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

import { AppError } from '@keydesk/server';
import type { TicketStore } from '../tickets/ticket-store.ts';
import { definitionInUse } from './conflicts.ts';
import type { DefinitionRef } from './definition.ts';

/** Counts the tickets that have a definition. */
export interface CountUsers {
  /** Returns the error; an `in_use` error gets the number of tickets, deleted ones included. */
  explain(err: unknown, ref: DefinitionRef): Promise<unknown>;
}

const COUNTED_AT_MOST = 10_000;

export function createCountUsers(tickets: Pick<TicketStore, 'count'>): CountUsers {
  async function count({ kind, id }: DefinitionRef): Promise<number> {
    const filter = { [kind]: { any: [id] } };
    const sort = { field: 'created_at', direction: 'asc' } as const;
    const query = { filter, sort, limit: COUNTED_AT_MOST + 1 };
    return (await tickets.count(query)) + (await tickets.count({ ...query, isDeleted: true }));
  }

  return {
    async explain(err, ref) {
      if (!(err instanceof AppError && err.code === 'in_use')) return err;
      return definitionInUse(ref, await count(ref));
    },
  };
}

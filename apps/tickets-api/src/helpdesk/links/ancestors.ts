import { AppError } from '@keydesk/errors';
import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';

const MAX_ANCESTORS = 100;

/**
 * Finds all ancestors of a ticket: its parents, their parents, and so on.
 *
 * @throws {AppError} `conflict` when there are more than 100
 */
export async function findAncestors(
  store: Pick<TicketStore, 'find'>,
  { ticket }: TicketRecord,
): Promise<readonly TicketRecord[]> {
  const found = new Map<string, TicketRecord>();
  const ahead = listParents(ticket.links);
  for (let id = ahead.pop(); id !== undefined; id = ahead.pop()) {
    const record = found.has(id) ? undefined : await store.find(id);
    if (!record) continue;
    if (found.size === MAX_ANCESTORS) throw tooDeep();
    found.set(id, record);
    ahead.push(...listParents(record.ticket.links));
  }
  return [...found.values()];
}

function listParents(links: TicketRecord['ticket']['links']): string[] {
  return links.filter(({ type }) => type === 'parent').map(({ ticket_id }) => ticket_id);
}

function tooDeep(): AppError {
  return new AppError('conflict', `A ticket can have at most ${MAX_ANCESTORS} ancestors.`);
}

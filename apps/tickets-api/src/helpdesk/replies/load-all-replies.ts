import type { Reply } from './reply.ts';
import type { ReplyStore } from './reply-store.ts';

/** Members of a reply that identify it and decide who sees it. */
export type ReplyTrace = Pick<Reply, 'id' | 'ticket_id' | 'visibility'>;

const PAGE_SIZE = 100;

/** Loads every reply to a ticket, oldest first. */
export function loadAllReplies(store: Pick<ReplyStore, 'list'>, ticketId: string): Promise<Reply[]> {
  return Array.fromAsync(walkReplies(store, ticketId));
}

/** Loads every reply without its text, because all texts together may not fit into memory. */
export function loadReplyTraces(store: Pick<ReplyStore, 'list'>, ticketId: string): Promise<ReplyTrace[]> {
  return Array.fromAsync(walkReplies(store, ticketId), ({ id, ticket_id, visibility }) => ({
    id,
    ticket_id,
    visibility,
  }));
}

/** Yields every reply to a ticket except one, oldest first. */
export async function* walkReplies(
  store: Pick<ReplyStore, 'list'>,
  ticketId: string,
  exceptId?: string,
): AsyncGenerator<Reply> {
  const query = { ticketId, isPublicOnly: false, direction: 'asc', limit: PAGE_SIZE } as const;
  let after: Reply | undefined;
  for (;;) {
    const page = await store.list(after === undefined ? query : { ...query, after });
    yield* page.filter(({ id }) => id !== exceptId);
    if (page.length < PAGE_SIZE) return;
    after = page.at(-1);
  }
}

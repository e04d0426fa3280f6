import type { Reply } from './reply.ts';
import type { ReplyStore } from './reply-store.ts';

const AT_ONCE = 500;

/** Every reply to a ticket, oldest first. */
export async function loadAllReplies(
  store: Pick<ReplyStore, 'list'>,
  ticketId: string,
): Promise<readonly Reply[]> {
  const all: Reply[] = [];
  const query = { ticketId, isPublicOnly: false, direction: 'asc', limit: AT_ONCE } as const;
  for (;;) {
    const last = all.at(-1);
    const page = await store.list(last ? { ...query, after: last.id } : query);
    all.push(...page);
    if (page.length < AT_ONCE) return all;
  }
}

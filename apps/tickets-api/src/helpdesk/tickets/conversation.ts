import type { Reply } from '../replies/reply.ts';
import type { Ticket } from './ticket.ts';
import { isDone } from './workflow.ts';

/** The members of a reply from which the conversation fields of its ticket are computed. */
export type Message = Pick<Reply, 'visibility' | 'incoming' | 'counts_as_reply' | 'created_at'>;

/**
 * Updates the conversation fields of a ticket after a reply: the times and the number of public replies, and
 * `waiting_since`. An incoming reply sets `waiting_since` unless the customer is already waiting; a reply that counts
 * as an answer clears it. Internal notes are ignored because customers see the same values as staff.
 */
export function withReply(ticket: Ticket, message: Message): Ticket {
  const { visibility, incoming, counts_as_reply, created_at: at } = message;
  if (visibility !== 'public') return ticket;
  const { last_reply_at, last_customer_reply_at, waiting_since, reply_count } = ticket;
  return {
    ...ticket,
    last_reply_at: laterOf(last_reply_at, at),
    last_customer_reply_at: incoming ? laterOf(last_customer_reply_at, at) : last_customer_reply_at,
    waiting_since: isDone(ticket) || counts_as_reply ? null : (waiting_since ?? (incoming ? at : null)),
    reply_count: reply_count + 1,
  };
}

/** Recomputes the conversation fields of a ticket from all its replies, oldest first. */
export async function recount(ticket: Ticket, replies: AsyncIterable<Message>): Promise<Ticket> {
  const { status_category, solved_at, created_at } = ticket;
  const isAnswered = solved_at !== null || status_category === 'closed';
  let counted: Ticket = {
    ...ticket,
    last_reply_at: null,
    last_customer_reply_at: null,
    waiting_since: isAnswered ? null : created_at,
    reply_count: 0,
  };
  for await (const reply of replies) {
    counted = withReply(counted, reply);
    // Solving answers every message before it.
    if (solved_at !== null && reply.created_at <= solved_at) counted = { ...counted, waiting_since: null };
  }
  return counted;
}

function laterOf(one: string | null, other: string): string {
  return one !== null && one > other ? one : other;
}

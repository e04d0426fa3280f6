import type { Reply } from '../replies/reply.ts';
import type { Ticket } from '../tickets/ticket.ts';
import type { TicketCommit } from '../tickets/ticket-commit.ts';
import { toLine } from './tokenize.ts';

/** The words of a ticket, in lines: what it is found by. */
export interface SearchableText {
  readonly subject: string;
  readonly description: string;
  /** Of its public replies, a line each. */
  readonly replies: string;
  /** Of its internal replies, which only staff may find it by. */
  readonly notes: string;
}

/** What a commit does to the replies of its ticket. */
export type WrittenReplies = Pick<TicketCommit, 'writtenReplies' | 'removedReplies'>;

/** How much is searched of the public replies to a ticket, and of its notes: more than is ever read. */
const SEARCHED_CHARACTERS = 500_000;

/** What a ticket itself is found by. */
export function toOwnText({
  subject,
  description,
}: Pick<Ticket, 'subject' | 'description'>): Pick<SearchableText, 'subject' | 'description'> {
  return { subject: toLine(subject), description: toLine(description) };
}

/** What its replies are found by; they are in order of id, and come behind those of `before`. */
export function toReplyText(
  replies: readonly Pick<Reply, 'visibility' | 'body'>[],
  before: Pick<SearchableText, 'replies' | 'notes'> = { replies: '', notes: '' },
): Pick<SearchableText, 'replies' | 'notes'> {
  const linesOf = (visibility: Reply['visibility'], first: string) => {
    let lines = first;
    for (const reply of replies) {
      if (isEnough(lines)) break;
      if (reply.visibility === visibility) lines += toLine(reply.body);
    }
    return lines;
  };
  return { replies: linesOf('public', before.replies), notes: linesOf('internal', before.notes) };
}

/** Whether a commit leaves the replies that there are as they are, so that what is added can be put behind them. */
export function leavesReplies({ writtenReplies = [], removedReplies = [] }: WrittenReplies): boolean {
  return removedReplies.length === 0 && writtenReplies.every(({ version }) => version === 1);
}

/** Whether so much of the replies was read that the others are not searched. */
export function isEnough(lines: string): boolean {
  return lines.length >= SEARCHED_CHARACTERS;
}

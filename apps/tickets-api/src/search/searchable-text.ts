import type { Reply } from '../replies/reply.ts';
import type { Ticket } from '../tickets/ticket.ts';
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

/** How much is searched of the public replies to a ticket, and of its notes: more than is ever read. */
const SEARCHED_CHARACTERS = 500_000;

/** What a ticket itself is found by. */
export function toOwnText({
  subject,
  description,
}: Pick<Ticket, 'subject' | 'description'>): Pick<SearchableText, 'subject' | 'description'> {
  return { subject: toLine(subject), description: toLine(description) };
}

/** What its replies are found by; they are in order of id. */
export function toReplyText(
  replies: readonly Pick<Reply, 'visibility' | 'body'>[],
): Pick<SearchableText, 'replies' | 'notes'> {
  const linesOf = (visibility: Reply['visibility']) => {
    let lines = '';
    for (const reply of replies) {
      if (isEnough(lines)) break;
      if (reply.visibility === visibility) lines += toLine(reply.body);
    }
    return lines;
  };
  return { replies: linesOf('public'), notes: linesOf('internal') };
}

/** Whether so much of the replies was read that the others are not searched. */
export function isEnough(lines: string): boolean {
  return lines.length >= SEARCHED_CHARACTERS;
}

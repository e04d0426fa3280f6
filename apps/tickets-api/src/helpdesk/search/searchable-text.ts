import type { TicketCommit } from '../commit/ticket-commit.ts';
import type { Reply } from '../replies/reply.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { toLine } from './tokenize.ts';

/** Words of a ticket by which it is found, one line per text. */
export interface SearchableText {
  readonly subject: string;
  readonly description: string;
  /** Words of the public replies, one line per reply. */
  readonly replies: string;
  /** Words of the internal replies, which only staff may search. */
  readonly notes: string;
}

/** Replies that a commit writes and removes. */
export type WrittenReplies = Pick<TicketCommit, 'writtenReplies' | 'removedReplies'>;

/** Maximum length of searched public replies of a ticket, and of internal ones. */
const MAX_CHARACTERS = 500_000;

/** Returns the searchable text of a ticket without its replies. */
export function toTicketText({
  subject,
  description,
}: Pick<Ticket, 'subject' | 'description'>): Pick<SearchableText, 'subject' | 'description'> {
  return { subject: toLine(subject), description: toLine(description) };
}

/** Returns the searchable text of replies in order of id, appended to `before`. */
export function toReplyText(
  replies: readonly Pick<Reply, 'visibility' | 'body'>[],
  before: Pick<SearchableText, 'replies' | 'notes'> = { replies: '', notes: '' },
): Pick<SearchableText, 'replies' | 'notes'> {
  const toLines = (visibility: Reply['visibility'], first: string) => {
    let lines = first;
    for (const reply of replies) {
      if (isFull(lines)) break;
      if (reply.visibility === visibility) lines += toLine(reply.body);
    }
    return lines;
  };
  return { replies: toLines('public', before.replies), notes: toLines('internal', before.notes) };
}

/** Whether a commit changes no existing reply, so that the words of new ones can be appended. */
export function keepsReplies({ writtenReplies = [], removedReplies = [] }: WrittenReplies): boolean {
  return removedReplies.length === 0 && writtenReplies.every(({ version }) => version === 1);
}

/** Whether the maximum length is reached, so that further replies are not searched. */
export function isFull(lines: string): boolean {
  return lines.length >= MAX_CHARACTERS;
}

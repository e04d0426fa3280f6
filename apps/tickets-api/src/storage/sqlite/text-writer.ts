import type { Sqlite } from '@keydesk/storage/sqlite';
import {
  isFull,
  keepsReplies,
  type SearchableText,
  toReplyText,
  toTicketText,
  type WrittenReplies,
} from '../../helpdesk/search/searchable-text.ts';
import { toLine } from '../../helpdesk/search/tokenize.ts';
import type { Ticket } from '../../helpdesk/tickets/ticket.ts';

/** Writes searchable texts, within one transaction. */
export interface TextWriter {
  /** Writes the text of the ticket in row `seq` if it has changed; its replies must be written first. */
  put(seq: number, ticket: Pick<Ticket, 'subject' | 'description'>, written: WrittenReplies): void;
}

export function createTextWriter({ prepare }: Sqlite): TextWriter {
  const selectBodies = prepare(`
    SELECT document ->> '$.body' AS body FROM replies WHERE ticket_seq = ? AND is_public = ?
    ORDER BY created_at, id`);
  const select = prepare('SELECT subject, description FROM ticket_texts WHERE seq = ?');
  const upsert = prepare(`
    INSERT INTO ticket_texts (seq, subject, description, replies, notes) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (seq) DO UPDATE SET
      subject = excluded.subject, description = excluded.description, replies = excluded.replies,
      notes = excluded.notes`);
  const selectReplies = prepare('SELECT replies, notes FROM ticket_texts WHERE seq = ?');
  const updateReplies = prepare('UPDATE ticket_texts SET replies = ?, notes = ? WHERE seq = ?');
  const addWords = prepare('INSERT INTO ticket_words (rowid, replies, notes) VALUES (?, ?, ?)');

  /** Reads replies up to the searched length. */
  function readLines(seq: number, isPublic: boolean): string {
    let lines = '';
    for (const { body } of selectBodies.iterate(seq, Number(isPublic))) {
      lines += toLine(String(body));
      if (isFull(lines)) break;
    }
    return lines;
  }

  function append(seq: number, added: NonNullable<WrittenReplies['writtenReplies']>): void {
    if (added.length === 0) return;
    const before = selectReplies.get(seq) as unknown as Pick<SearchableText, 'replies' | 'notes'>;
    const { replies, notes } = toReplyText(added, before);
    const more = [replies.slice(before.replies.length), notes.slice(before.notes.length)] as const;
    if (more.join('') === '') return;
    updateReplies.run(replies, notes, seq);
    addWords.run(seq, ...more);
  }

  return {
    put(seq, ticket, written) {
      const own = toTicketText(ticket);
      const before = select.get(seq);
      const isSame = before?.subject === own.subject && before.description === own.description;
      if (isSame && keepsReplies(written)) append(seq, written.writtenReplies ?? []);
      else upsert.run(seq, own.subject, own.description, readLines(seq, true), readLines(seq, false));
    },
  };
}

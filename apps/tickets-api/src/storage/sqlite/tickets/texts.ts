import type { Sqlite, Statement } from '@keydesk/storage/sqlite';
import { LRUCache } from 'lru-cache';
import { type SearchTerm, toSearchString } from '../../../helpdesk/search/search-terms.ts';
import {
  isFull,
  keepsReplies,
  type SearchableText,
  toReplyText,
  toTicketText,
  type WrittenReplies,
} from '../../../helpdesk/search/searchable-text.ts';
import { toLine } from '../../../helpdesk/search/tokenize.ts';
import type { Ticket } from '../../../helpdesk/tickets/ticket.ts';
import type { TicketQuery, TicketText } from '../../../helpdesk/tickets/ticket-store.ts';

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
      if (isSame && keepsReplies(written)) return append(seq, written.writtenReplies ?? []);
      // A ticket without a text is new, so it has no other replies.
      const hasReplies = before !== undefined || (written.writtenReplies ?? []).length > 0;
      const [replies, notes] = hasReplies ? [readLines(seq, true), readLines(seq, false)] : ['', ''];
      upsert.run(seq, own.subject, own.description, replies, notes);
    },
  };
}

/** Reads searchable texts, within `read`. */
export interface TextReader {
  /** Whether few enough tickets have the words of a search to sort them. */
  isLedByWords(query: TicketQuery): boolean;
  read(seqs: readonly number[]): TicketText[];
}

/** Maximum number of matches to fetch and sort; with more matches, a walk of the list finds some soon. */
const MAX_SORTED = 2_000;
const PLAN_LIFETIME_MS = 10_000;

export function createTextReader({ prepare }: Sqlite): TextReader {
  const countMatches = prepare(
    `SELECT count(*) AS count FROM (SELECT 1 FROM ticket_words WHERE ticket_words MATCH ? LIMIT ?)`,
  );
  const select = prepare(`
    SELECT id, created_at, subject, description, replies, notes
    FROM tickets JOIN ticket_texts USING (seq) WHERE seq = ?`);
  const haveAtMost = (match: string, limit: number) =>
    Number(countMatches.get(match, limit + 1)?.count) <= limit;

  // Counting is costly and search words repeat, so decisions are cached for a while.
  const decided = new LRUCache<string, boolean>({ max: 1_000, ttl: PLAN_LIFETIME_MS });

  function decide(search: readonly SearchTerm[]): boolean {
    // Counting a prefix is costly. Its count as a whole word is cheap and may already exceed the limit.
    const whole = search.map((term) => ({ ...term, isPrefix: false }));
    const matches = new Set([toMatch(whole), toMatch(search)]);
    return [...matches].every((match) => haveAtMost(match, MAX_SORTED));
  }

  return {
    isLedByWords({ search, reader }) {
      // Matches in internal replies must not affect the results of customers, and their lists are short.
      if (!search || reader !== undefined) return false;
      const match = toMatch(search);
      const isLed = decided.get(match) ?? decide(search);
      if (!decided.has(match)) decided.set(match, isLed);
      return isLed;
    },
    read: (seqs) =>
      seqs.flatMap((seq) => {
        const row = select.get(seq);
        return row ? [toListedText(row)] : [];
      }),
  };
}

function toListedText({ id, created_at, ...text }: Record<string, unknown>): TicketText {
  return {
    id: String(id),
    created_at: new Date(Number(created_at)).toISOString(),
    text: text as unknown as SearchableText,
  };
}

/** Converts terms to an FTS5 query for every word in any column. Words are letters and digits: nothing to escape. */
export function toMatch(terms: readonly SearchTerm[]): string {
  return terms.flatMap(toWordMatches).join(' AND ');
}

function toWordMatches({ words, isPrefix }: SearchTerm): string[] {
  return words.map((word, i) => (isPrefix && i === words.length - 1 ? `"${word}" *` : `"${word}"`));
}

/** Checks that a ticket has every term in the text visible to the viewer; FTS5 stores neither positions nor viewers. */
export function hasTerms(
  terms: readonly SearchTerm[],
  { isPublicOnly }: { isPublicOnly: boolean },
): Statement {
  const lines = `subject || description || replies${isPublicOnly ? '' : ' || notes'}`;
  const conditions = terms.map(() => `instr(${lines}, ?) > 0`).join(' AND ');
  return {
    sql: `EXISTS (SELECT 1 FROM ticket_texts WHERE seq = tickets.seq AND ${conditions})`,
    values: terms.map(toSearchString),
  };
}

import type { Sqlite } from '@keydesk/storage/sqlite';
import { LRUCache } from 'lru-cache';
import type { SearchTerm } from '../../helpdesk/search/search-terms.ts';
import type { SearchableText } from '../../helpdesk/search/searchable-text.ts';
import type { TicketQuery, TicketText } from '../../helpdesk/tickets/ticket-store.ts';
import { toMatch } from './search-statement.ts';

/** Reads searchable texts, within `read`. */
export interface TextReader {
  /** Whether few enough tickets have the words of a search to sort them. */
  isLedByWords(query: TicketQuery): boolean;
  read(rows: readonly (readonly [seq: number, ...unknown[]])[]): TicketText[];
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
    read: (rows) =>
      rows.flatMap(([seq]) => {
        const row = select.get(seq);
        return row ? [toTicketText(row)] : [];
      }),
  };
}

function toTicketText({ id, created_at, ...text }: Record<string, unknown>): TicketText {
  return {
    id: String(id),
    created_at: new Date(Number(created_at)).toISOString(),
    text: text as unknown as SearchableText,
  };
}

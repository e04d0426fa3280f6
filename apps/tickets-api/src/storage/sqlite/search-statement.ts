import { type SearchTerm, toSearchString } from '../../helpdesk/search/search-terms.ts';
import type { Statement } from './list-statement.ts';

/**
 * Converts terms to an FTS5 query for every word in any column. Words have only letters and digits, so they need no escaping.
 */
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

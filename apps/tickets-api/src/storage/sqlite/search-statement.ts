import { type SearchTerm, toSearchString } from '../../helpdesk/search/search-terms.ts';
import type { Statement } from './list-statement.ts';

/**
 * What FTS5 is to look for: every word, wherever it stands. Words have nothing but letters and digits, so none of them is
 * taken for syntax.
 */
export function toMatch(terms: readonly SearchTerm[]): string {
  return terms.flatMap(toWordMatches).join(' AND ');
}

function toWordMatches({ words, isPrefix }: SearchTerm): string[] {
  return words.map((word, i) => (isPrefix && i === words.length - 1 ? `"${word}" *` : `"${word}"`));
}

/** Whether the ticket of the row has every term in what the searcher sees: FTS5 knows neither phrases nor searchers. */
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

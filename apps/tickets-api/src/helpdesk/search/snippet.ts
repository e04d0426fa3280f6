import type { SearchTerm } from './search-terms.ts';
import { type Token, tokenize } from './tokenize.ts';

/** Characters before the first match, and in all, not counting marks. */
const MAX_BEFORE = 40;
const MAX_LENGTH = 160;

interface Range {
  start: number;
  end: number;
}

/**
 * Returns an excerpt of a text around its first match, with « and » around each matching word. Those characters in the
 * text itself become ‹ and ›. The excerpt is plain text, cut between words; `undefined` if no term matches.
 */
export function toSnippet(text: string, terms: readonly SearchTerm[]): string | undefined {
  const tokens = tokenize(text);
  const found = findRanges(tokens, terms);
  const first = found[0];
  if (!first) return undefined;
  const from = tokens.find(({ start }) => start >= first.start - MAX_BEFORE)?.start ?? first.start;
  const to =
    tokens.findLast(({ start, end }) => start <= first.start || end <= from + MAX_LENGTH)?.end ?? first.end;
  const isWhole = text.length <= MAX_LENGTH;
  const [start, end] = isWhole ? [0, text.length] : [from, to];
  const marked = mark(text, { start, end }, found);
  const isCut = { before: text.slice(0, start).trim() !== '', after: text.slice(end).trim() !== '' };
  return `${isCut.before ? '…' : ''}${marked}${isCut.after ? '…' : ''}`;
}

/** Finds the matches of terms, in order and without overlaps. */
function findRanges(tokens: readonly Token[], terms: readonly SearchTerm[]): Range[] {
  const ranges: Range[] = [];
  for (const [i, token] of tokens.entries()) {
    const lastEnd = ranges.at(-1)?.end ?? 0;
    const lengths = terms.filter((term) => isAt(tokens, i, term)).map(({ words }) => words.length);
    const last = tokens[i + Math.max(0, ...lengths) - 1];
    if (lengths.length > 0 && last && token.start >= lastEnd)
      ranges.push({ start: token.start, end: last.end });
  }
  return ranges;
}

function isAt(tokens: readonly Token[], i: number, { words, isPrefix }: SearchTerm): boolean {
  return words.every((word, j) => {
    const found = tokens[i + j]?.word;
    return isPrefix && j === words.length - 1 ? found?.startsWith(word) : found === word;
  });
}

function mark(text: string, { start, end }: Range, found: readonly Range[]): string {
  let marked = '';
  let at = start;
  for (const range of found.filter((each) => each.start >= start && each.end <= end)) {
    marked += `${plain(text.slice(at, range.start))}«${plain(text.slice(range.start, range.end))}»`;
    at = range.end;
  }
  return marked + plain(text.slice(at, end));
}

function plain(text: string): string {
  return text.replaceAll('«', '‹').replaceAll('»', '›').replace(/\s+/gu, ' ');
}

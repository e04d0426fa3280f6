import type { SearchTerm } from './search-terms.ts';
import { type Token, tokenize } from './tokenize.ts';

/** What a snippet shows before the first word that was found, and in all; characters, but for the marks. */
const BEFORE = 40;
const LONGEST = 160;

interface Range {
  start: number;
  end: number;
}

/**
 * A piece of a text around the first of the terms that it has, with « and » around each word that was found; those of
 * the text itself become ‹ and ›. It is plain text, cut between words. `undefined`: the text has none of the terms.
 */
export function toSnippet(text: string, terms: readonly SearchTerm[]): string | undefined {
  const tokens = tokenize(text);
  const found = findRanges(tokens, terms);
  const first = found[0];
  if (!first) return undefined;
  const from = tokens.find(({ start }) => start >= first.start - BEFORE)?.start ?? first.start;
  const to =
    tokens.findLast(({ start, end }) => start <= first.start || end <= from + LONGEST)?.end ?? first.end;
  const isWhole = text.length <= LONGEST;
  const [start, end] = isWhole ? [0, text.length] : [from, to];
  const marked = mark(text, { start, end }, found);
  const isCut = { before: text.slice(0, start).trim() !== '', behind: text.slice(end).trim() !== '' };
  return `${isCut.before ? '…' : ''}${marked}${isCut.behind ? '…' : ''}`;
}

/** Where the terms stand, in order, none of them within another. */
function findRanges(tokens: readonly Token[], terms: readonly SearchTerm[]): Range[] {
  const ranges: Range[] = [];
  for (const [i, token] of tokens.entries()) {
    const behind = ranges.at(-1)?.end ?? 0;
    const lengths = terms.filter((term) => isAt(tokens, i, term)).map(({ words }) => words.length);
    const last = tokens[i + Math.max(0, ...lengths) - 1];
    if (lengths.length > 0 && last && token.start >= behind)
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

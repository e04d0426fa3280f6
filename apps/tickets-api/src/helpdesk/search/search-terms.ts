import { isSpaceless, tokenize } from './tokenize.ts';

/** Term that one text of a ticket must contain: a word, or a phrase of consecutive words. */
export interface SearchTerm {
  readonly words: readonly string[];
  /** Whether the last word is a prefix. */
  readonly isPrefix: boolean;
}

export const MAX_QUERY_LENGTH = 200;
const MAX_WORDS = 10;
/** Shorter prefixes match too many words. */
const MIN_PREFIX_LENGTH = 2;

const [quote, gap] = ['["“”„]', '[\\s"“”„]'];
const noQuote = '[^"“”„]*';

/**
 * Pattern in JSON Schema of the texts that `parseSearch` accepts, apart from their length: a letter or digit, paired
 * quotation marks and few words. All characters beyond ASCII count as letters, because few engines support Unicode
 * classes.
 */
export const searchPattern = [
  '^(?=[\\s\\S]*[^\\x00-/:-@\\[-`{-\\x7F])',
  `(?=${noQuote}(?:${quote}${noQuote}${quote}${noQuote})*$)`,
  `${gap}*(?:[^\\s"“”„]+(?:${gap}+|$)){0,${MAX_WORDS}}$`,
].join('');

/** Parsed search, or a fault in words that complete "q …". */
export type ParsedSearch = { terms: readonly SearchTerm[] } | { fault: string };

/**
 * Parses a search text. White space separates terms, and quotation marks enclose a phrase. Words joined without a
 * space, such as an address, form a phrase too. The last term matches as a prefix unless it is quoted.
 */
export function parseSearch(text: string): ParsedSearch {
  if (text.length > MAX_QUERY_LENGTH) return { fault: `must have at most ${MAX_QUERY_LENGTH} characters` };
  const parts = text.replaceAll(/[“”„]/g, '"').split('"');
  if (parts.length % 2 === 0) return { fault: 'must have paired quotation marks' };
  if (countWords(text) > MAX_WORDS) return { fault: `must have at most ${MAX_WORDS} words` };
  const terms = parts.flatMap((part, i) =>
    i % 2 === 1 ? [toPhrase(part)] : part.split(/\s+/u).map(toPhrase),
  );
  const found = terms.filter(({ words }) => words.length > 0);
  const last = found.at(-1);
  if (!last) return { fault: 'must contain a letter or a digit' };
  const isQuoted = parts.at(-1)?.trim() === '';
  return {
    terms: isQuoted || !canBePrefix(last) ? found : [...found.slice(0, -1), { ...last, isPrefix: true }],
  };
}

/**
 * Converts a term to the string that a line of words (see `toLine`) contains if the text matches. It is plain text, so
 * that every engine can search for it.
 */
export function toSearchString({ words, isPrefix }: SearchTerm): string {
  return ` ${words.join(' ')}${isPrefix ? '' : ' '}`;
}

function toPhrase(text: string): SearchTerm {
  return { words: tokenize(text).map(({ word }) => word), isPrefix: false };
}

function canBePrefix({ words }: SearchTerm): boolean {
  const last = words.at(-1) ?? '';
  return last.length >= MIN_PREFIX_LENGTH && !isSpaceless(last);
}

function countWords(text: string): number {
  return text.match(/[^\s"“”„]+/gu)?.length ?? 0;
}

import { isSpaceless, tokenize } from './tokenize.ts';

/** What has to be in one text of a ticket in one piece: a word, or several that follow each other. */
export interface SearchTerm {
  readonly words: readonly string[];
  /** The last word may go on. */
  readonly isPrefix: boolean;
}

export const LONGEST_QUERY = 200;
const MOST_WORDS = 10;
/** A single letter begins too many words to look for them all. */
const SHORTEST_PREFIX = 2;

const [quote, gap] = ['["“”„]', '[\\s"“”„]'];
const noQuote = '[^"“”„]*';

/**
 * The texts that `parseSearch` takes, but for their length, as a pattern of JSON Schema: a letter or digit, quotation marks
 * in pairs, and few words. Any character beyond ASCII counts as a letter: few engines know the classes of Unicode.
 */
export const searchPattern = [
  '^(?=[\\s\\S]*[^\\x00-/:-@\\[-`{-\\x7F])',
  `(?=${noQuote}(?:${quote}${noQuote}${quote}${noQuote})*$)`,
  `${gap}*(?:[^\\s"“”„]+(?:${gap}+|$)){0,${MOST_WORDS}}$`,
].join('');

/** What was searched for, or what is wrong with it in words that complete "q …". */
export type ParsedSearch = { terms: readonly SearchTerm[] } | { fault: string };

/**
 * Reads what somebody searches for. White space separates terms; quotation marks keep a phrase together. What is written
 * without a space, such as an address, is a phrase too. The last term may be the beginning of a word, unless quoted.
 */
export function parseSearch(text: string): ParsedSearch {
  if (text.length > LONGEST_QUERY) return { fault: `must have at most ${LONGEST_QUERY} characters` };
  const parts = text.replaceAll(/[“”„]/g, '"').split('"');
  if (parts.length % 2 === 0) return { fault: 'must close every quotation mark that it opens' };
  if (countWords(text) > MOST_WORDS) return { fault: `must have at most ${MOST_WORDS} words` };
  const terms = parts.flatMap((part, i) =>
    i % 2 === 1 ? [toPhrase(part)] : part.split(/\s+/u).map(toPhrase),
  );
  const found = terms.filter(({ words }) => words.length > 0);
  const last = found.at(-1);
  if (!last) return { fault: 'must have a letter or a digit' };
  const isQuoted = parts.at(-1)?.trim() === '';
  return { terms: isQuoted || !canGoOn(last) ? found : [...found.slice(0, -1), { ...last, isPrefix: true }] };
}

/**
 * What a line of words (see `toLine`) has in it where the text has the term: a plain piece of text, which every engine
 * can look for.
 */
export function toNeedle({ words, isPrefix }: SearchTerm): string {
  return ` ${words.join(' ')}${isPrefix ? '' : ' '}`;
}

function toPhrase(text: string): SearchTerm {
  return { words: tokenize(text).map(({ word }) => word), isPrefix: false };
}

function canGoOn({ words }: SearchTerm): boolean {
  const last = words.at(-1) ?? '';
  return last.length >= SHORTEST_PREFIX && !isSpaceless(last);
}

function countWords(text: string): number {
  return text.match(/[^\s"“”„]+/gu)?.length ?? 0;
}

/** Word in canonical form, and its position in the text. */
export interface Token {
  word: string;
  start: number;
  /** Index after the last character. */
  end: number;
}

/** Words are truncated to this length, in texts and searches alike. */
const MAX_WORD_LENGTH = 64;

/**
 * Matches a piece of a text: one character of a script that has no spaces between words, or else a run of letters,
 * digits, combining marks and invisible joiners.
 */
const spaceless = [
  'Han',
  'Hiragana',
  'Katakana',
  'Bopomofo',
  'Thai',
  'Lao',
  'Khmer',
  'Myanmar',
  'Tibetan',
].map((script) => `\\p{scx=${script}}`);
const spacelessCharacter = `(?=[\\p{L}\\p{N}])[${spaceless.join('')}]`;
const pieces = new RegExp(
  `${spacelessCharacter}\\p{M}*|(?:(?!${spacelessCharacter})[\\p{L}\\p{N}\\p{M}\\u00AD\\u200C\\u200D])+`,
  'gu',
);

/** Matches words after folding, because one character may expand to several words. */
const foldedWords = new RegExp(`${spacelessCharacter}|(?:(?!${spacelessCharacter})[\\p{L}\\p{N}])+`, 'gu');

/**
 * Splits a text into words, identically for all storage engines: runs of letters and digits of any script, in
 * compatibility decomposition (NFKD), lower case and without combining marks. In scripts without spaces, such as
 * Chinese and Japanese, each character is a word, and a run of them is searched for as a phrase.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    const range = { start: index, end: index + piece.length };
    for (const word of toWords(piece)) tokens.push({ word, ...range });
  }
  return tokens;
}

/**
 * Joins the words of a text on one line, each surrounded by spaces, so that a phrase is a substring of it. Joined lines
 * have two spaces between them, which no phrase contains.
 */
export function toLine(text: string): string {
  const words = tokenize(text).map(({ word }) => word);
  return words.length === 0 ? '' : ` ${words.join(' ')} `;
}

/** Whether a word is a character of a script without spaces, which cannot be a prefix. */
export function isSpaceless(word: string): boolean {
  return startsSpaceless.test(word);
}

const startsSpaceless = new RegExp(`^${spacelessCharacter}`, 'u');

function toWords(piece: string): readonly string[] {
  if (/^[a-z0-9]*$/i.test(piece)) return [piece.toLowerCase().slice(0, MAX_WORD_LENGTH)];
  return (fold(piece).match(foldedWords) ?? []).map(truncate);
}

/** Matches combining marks, except the iota subscript, which is a letter in upper case. */
const marks = /(?!\u0345)\p{M}/gu;

/**
 * Folds case via upper case, so that ß becomes ss and all forms of sigma are equal. Removes combining marks
 * first, because normalizing their order takes quadratic time.
 */
function fold(piece: string): string {
  const bare = piece.replace(marks, '');
  const lower = bare.normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD');
  return lower.replace(/[\p{M}\u00AD\u200C\u200D]/gu, '').replaceAll('ς', 'σ');
}

function truncate(word: string): string {
  return word.length <= MAX_WORD_LENGTH ? word : Array.from(word).slice(0, MAX_WORD_LENGTH).join('');
}

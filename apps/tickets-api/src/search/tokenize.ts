/** A word as it is searched for, and where the text has it. */
export interface Token {
  word: string;
  start: number;
  /** Just behind it. */
  end: number;
}

/** What is beyond it of a word says nothing to a reader; both sides of a search are cut alike. */
const LONGEST_WORD = 64;

/**
 * A piece that words are made of: one character of a script that writes no spaces between words, or else a run of
 * letters, digits, marks and invisible joiners.
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
const alone = `(?=[\\p{L}\\p{N}])[${spaceless.join('')}]`;
const pieces = new RegExp(`${alone}\\p{M}*|(?:(?!${alone})[\\p{L}\\p{N}\\p{M}\\u00AD\\u200C\\u200D])+`, 'gu');

/** One character may stand for several words. */
const foldedWords = new RegExp(`${alone}|(?:(?!${alone})[\\p{L}\\p{N}])+`, 'gu');

/** The same of plain English, found ten times as fast. */
const asciiPieces = /[a-z0-9]+/gi;

/**
 * The words of a text, which decide what a search finds on every storage: runs of letters and digits of any script,
 * compatibility forms taken apart (NFKD), in lower case, without combining marks. Chinese, Japanese and others who
 * write no spaces have each character as a word; a run of them is searched for as a phrase.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const isAscii = /^\p{ASCII}*$/u.test(text);
  for (const { 0: piece, index } of text.matchAll(isAscii ? asciiPieces : pieces)) {
    const place = { start: index, end: index + piece.length };
    for (const word of toWords(piece)) tokens.push({ word, ...place });
  }
  return tokens;
}

/**
 * The words of a text on one line, with a space before and behind each: a phrase is on it as it is, and lines that
 * follow each other have two spaces between them, which no phrase has.
 */
export function toLine(text: string): string {
  const words = tokenize(text).map(({ word }) => word);
  return words.length === 0 ? '' : ` ${words.join(' ')} `;
}

/** Whether a word is one character of a script without spaces, which is nothing to begin a longer word with. */
export function isSpaceless(word: string): boolean {
  return anyAlone.test(word);
}

const anyAlone = new RegExp(`^${alone}`, 'u');

function toWords(piece: string): readonly string[] {
  if (/^[a-z0-9]*$/i.test(piece)) return [piece.toLowerCase().slice(0, LONGEST_WORD)];
  return (fold(piece).match(foldedWords) ?? []).map(cut);
}

/** All but the iota subscript, which is a letter in upper case. */
const marks = /(?!\u0345)\p{M}/gu;

/**
 * By way of the upper case, so that ß is ss and every sigma is the same. Marks go first: to bring a text full of them into
 * their order takes the square of its length.
 */
function fold(piece: string): string {
  const bare = piece.replace(marks, '');
  const lower = bare.normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD');
  return lower.replace(/[\p{M}\u00AD\u200C\u200D]/gu, '').replaceAll('ς', 'σ');
}

function cut(word: string): string {
  return word.length <= LONGEST_WORD ? word : Array.from(word).slice(0, LONGEST_WORD).join('');
}

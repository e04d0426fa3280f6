import fc from 'fast-check';

/** Words with spellings that a search treats as equal. */
const spellings = {
  print: ['print', 'Print', 'PRINT', 'prínt'],
  printer: ['printer', 'Printer', 'pRinTeR', 'printeŕ', 'printe\u0301r'],
  zofia: ['Žofia', 'zofia', 'ŽOFIA', 'Z\u030cofia'],
  strasse: ['straße', 'STRASSE', 'Strasse'],
  σοφοσ: ['σοφός', 'ΣΟΦΟΣ', 'σοφοσ'],
  fire: ['fire', 'ﬁre', 'ＦＩＲＥ'],
  42: ['42', '４２'],
  принтер: ['принтер', 'ПРИНТЕР'],
  火: ['火'],
  事: ['事'],
} as const;

type Word = keyof typeof spellings;

const words = Object.keys(spellings) as unknown as Word[];

/** Word in its canonical form, and in one spelling. */
export interface SpelledWord {
  word: string;
  spelling: string;
}

const spelled: fc.Arbitrary<SpelledWord> = fc
  .constantFrom(...words)
  .chain((word) => fc.constantFrom(...spellings[word]).map((spelling) => ({ word: String(word), spelling })));

/** Some consecutive words. */
export const spelledText = fc.array(spelled, { maxLength: 6 });

/** Search of phrases, single words and a prefix. */
export interface SpelledSearch {
  phrases: SpelledWord[][];
  singles: SpelledWord[];
  prefix: SpelledWord | undefined;
  /** Number of characters of the prefix. */
  prefixLength: number;
}

export const spelledSearch: fc.Arbitrary<SpelledSearch> = fc
  .record({
    phrases: fc.array(fc.array(spelled, { minLength: 1, maxLength: 3 }), { maxLength: 1 }),
    singles: fc.array(spelled, { maxLength: 2 }),
    prefix: fc.option(
      spelled.filter(({ word }) => word.length > 2),
      { nil: undefined },
    ),
    prefixLength: fc.integer({ min: 2, max: 7 }),
  })
  .filter(({ phrases, singles, prefix }) => phrases.length + singles.length > 0 || prefix !== undefined);

/** Joins words to a text with punctuation. */
export function toProse(text: readonly SpelledWord[]): string {
  return text.map(({ spelling }, i) => spelling + [' ', ', ', '\n', ' – ', '. '][i % 5]).join('');
}

/** Formats the value of `q`. Single words are quoted, so that none of them is a prefix by accident. */
export function toQuery({ phrases, singles, prefix, prefixLength }: SpelledSearch): string {
  const quoted = phrases.map((phrase) => `"${toProse(phrase)}"`);
  const whole = singles.map(({ spelling }) => `"${spelling}"`);
  const prefixes = prefix ? [prefix.word.slice(0, prefixLength)] : [];
  return [...quoted, ...whole, ...prefixes].join(' ');
}

/** Reference implementation of the search on canonical words, in plain JavaScript. */
export function hasAll(texts: readonly (readonly SpelledWord[])[], search: SpelledSearch): boolean {
  const canonical = texts.map((text) => text.map(({ word }) => word));
  const hasPhrase = (phrase: readonly SpelledWord[]) =>
    canonical.some((text) => text.some((_, i) => phrase.every(({ word }, j) => text[i + j] === word)));
  const beginning = search.prefix?.word.slice(0, search.prefixLength);
  return (
    search.phrases.every(hasPhrase) &&
    search.singles.every((single) => hasPhrase([single])) &&
    (beginning === undefined || canonical.flat().some((word) => word.startsWith(beginning)))
  );
}

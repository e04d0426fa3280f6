import fc from 'fast-check';

/** Spellings of words, with what each is to be found as. Several differ in nothing that a search minds. */
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

/** A word as it is meant, and as it is written. */
export interface Spelled {
  word: string;
  spelling: string;
}

const spelled: fc.Arbitrary<Spelled> = fc
  .constantFrom(...words)
  .chain((word) => fc.constantFrom(...spellings[word]).map((spelling) => ({ word: String(word), spelling })));

/** Some words that follow each other. */
export const spelledText = fc.array(spelled, { maxLength: 6 });

/** What is searched for: some phrases, some words, and the beginning of a last one. */
export interface SpelledSearch {
  phrases: Spelled[][];
  singles: Spelled[];
  prefix: Spelled | undefined;
  /** Of the characters of the prefix. */
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

/** The text as somebody would write it. */
export function toWriting(text: readonly Spelled[]): string {
  return text.map(({ spelling }, i) => spelling + [' ', ', ', '\n', ' – ', '. '][i % 5]).join('');
}

/** The value of `q`. The single words end with a full stop, so that none of them is a prefix by accident. */
export function toQuery({ phrases, singles, prefix, prefixLength }: SpelledSearch): string {
  const quoted = phrases.map((phrase) => `"${toWriting(phrase)}"`);
  const whole = singles.map(({ spelling }) => `"${spelling}"`);
  const begun = prefix ? [prefix.word.slice(0, prefixLength)] : [];
  return [...quoted, ...whole, ...begun].join(' ');
}

/** The same in plain JavaScript, told by what the words are meant as. */
export function hasAll(texts: readonly (readonly Spelled[])[], search: SpelledSearch): boolean {
  const meant = texts.map((text) => text.map(({ word }) => word));
  const hasPhrase = (phrase: readonly Spelled[]) =>
    meant.some((text) => text.some((_, i) => phrase.every(({ word }, j) => text[i + j] === word)));
  const beginning = search.prefix?.word.slice(0, search.prefixLength);
  return (
    search.phrases.every(hasPhrase) &&
    search.singles.every((single) => hasPhrase([single])) &&
    (beginning === undefined || meant.flat().some((word) => word.startsWith(beginning)))
  );
}

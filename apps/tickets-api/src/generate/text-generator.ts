import type { Random } from './random.ts';

/** Generates sentences. */
export interface TextGenerator {
  /** Returns a line of `count` words. */
  line(count: number): string;
  /** Returns sentences with about `count` words in total, in paragraphs. */
  text(count: number): string;
}

const commonWords = [
  'the to a is not and it my we on of in with please after since can when order printer invoice account',
  'password login screen email delivery refund update network error slow mobile customer page button app',
  'thanks hello again still cannot restart payment address contract number device café größe résumé naïve',
]
  .join(' ')
  .split(' ');
const onsets = 'b br c ch d dr f fl g gr h k kl l m n p pr qu r s st t tr v w z'.split(' ');
const nuclei = 'a e i o u ai ea ou ö é'.split(' ');
const VOCABULARY = 20_000;

/**
 * Creates a text generator with natural word frequencies: a few words are in almost every text, most in very few (Zipf).
 * Apart from some common words, the vocabulary is made of random syllables.
 */
export function createTextGenerator(random: Random): TextGenerator {
  const vocabulary = [...commonWords];
  while (vocabulary.length < VOCABULARY) vocabulary.push(inventWord(random));

  const word = () => vocabulary[random.rank(VOCABULARY)] ?? 'the';
  const line = (count: number) => {
    const words = Array.from({ length: Math.max(1, count) }, word).join(' ');
    return words.charAt(0).toUpperCase() + words.slice(1);
  };
  return {
    line,
    text(count) {
      const sentences: string[] = [];
      for (let left = count; left > 0; left -= 12) {
        sentences.push(`${line(Math.min(left, 12))}.${random.chance(0.2) ? '\n\n' : ' '}`);
      }
      return sentences.join('').trimEnd();
    },
  };
}

function inventWord(random: Random): string {
  const syllables = 2 + random.below(3);
  return Array.from(
    { length: syllables },
    () => `${onsets[random.below(onsets.length)]}${nuclei[random.below(nuclei.length)]}`,
  ).join('');
}

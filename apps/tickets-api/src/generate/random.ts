import { v7 as uuidv7 } from 'uuid';

/** Pseudo-random numbers, reproducible by seed. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** Returns a whole number from 0 (inclusive) to `below` (exclusive). */
  below(below: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly [T, ...T[]]): T;
  /** Returns a whole number of a geometric distribution with this mean. */
  geometric(mean: number): number;
  /**
   * Returns a number below `count`; smaller numbers are more likely, as with word ranks (Zipf, Mandelbrot). A larger
   * `offset` flattens the distribution at the beginning.
   */
  rank(count: number, offset?: number): number;
  /** Returns a UUIDv7 with this time. */
  id(at: Date): string;
}

/** Creates a generator with 32 bits of state (mulberry32): fast, and sufficient for test data. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const bytes = new Uint8Array(16);

  function next(): number {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number) => Math.floor(next() * limit);

  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (values) => values[below(values.length)] ?? values[0],
    geometric: (mean) => (mean <= 0 ? 0 : Math.floor(Math.log(1 - next()) / Math.log(mean / (mean + 1)))),
    rank(count, offset = 1) {
      const drawn = offset * ((count + offset) / offset) ** next() - offset;
      return Math.min(count - 1, Math.floor(drawn));
    },
    id(at) {
      for (let i = 0; i < bytes.length; i++) bytes[i] = below(256);
      return uuidv7({ msecs: at.getTime(), random: bytes });
    },
  };
}

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
 * Creates a text generator with natural word frequencies: a few words are in almost every text, most in very few
 * (Zipf). Apart from some common words, the vocabulary is made of random syllables.
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

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
   * Returns a number below `count`; smaller numbers are more likely, as with word ranks (Zipf, Mandelbrot). A larger `offset`
   * flattens the distribution at the beginning.
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

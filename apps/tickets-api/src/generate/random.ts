import { v7 as uuidv7 } from 'uuid';

/** Draws that come out the same for the same seed. */
export interface Random {
  /** From 0 up to, but not, 1. */
  next(): number;
  /** A whole number from 0 up to, but not, `below`. */
  below(below: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly [T, ...T[]]): T;
  /** A whole number of at least 0, small ones the most likely, of this mean. */
  geometric(mean: number): number;
  /**
   * A number below `count` that is smaller the likelier, as words are by their rank (Zipf, Mandelbrot). A larger `offset`
   * lets the first ones stand out less.
   */
  rank(count: number, offset?: number): number;
  /** A UUIDv7 of this time. */
  id(at: Date): string;
}

/** A generator of 32 bits of state (mulberry32): quick, and good enough for test data. */
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

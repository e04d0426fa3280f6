import { describe, expect, it } from 'vitest';
import { loadConfig, wholeNumber } from './index.ts';

describe('a whole number', () => {
  const load = (text: string) =>
    loadConfig({ hops: { env: 'HOPS', schema: wholeNumber(1, 10) } }, { HOPS: text });

  it.each(['1', '10'])('is in its range, such as %s', (text) => {
    expect(load(text).hops).toBe(Number(text));
  });

  it.each(['0', '11', '-1.5', '1.5', 'x', '1e400'])(
    'is not %s, and the error states the range once',
    (text) => {
      const problems = ['HOPS: must be a whole number from 1 to 10'];
      expect(() => load(text)).toThrow(expect.objectContaining({ problems }));
    },
  );
});

import { describe, expect, it } from 'vitest';
import { isLoopback, loadConfig, wholeNumber } from './index.ts';

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

describe('a URL on this machine', () => {
  it.each(['http://localhost:3000', 'https://127.0.0.1', 'http://127.1.2.3/', 'smtp://[::1]:25'])(
    'is %s',
    (url) => {
      expect(isLoopback(url)).toBe(true);
    },
  );

  it.each(['http://localhost.example', 'http://127.0.0.1.example', 'http://[::2]', 'http://0.0.0.0'])(
    'is not %s',
    (url) => {
      expect(isLoopback(url)).toBe(false);
    },
  );
});

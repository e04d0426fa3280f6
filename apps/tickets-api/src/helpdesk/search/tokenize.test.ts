import { measureCpuMs } from '@keydesk/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tokenize, toLine } from './tokenize.ts';

const wordsOf = (text: string) => tokenize(text).map(({ word }) => word);

describe('tokenize', () => {
  test.each([
    ['The Café, the CAFE\u0301!', ['the', 'cafe', 'the', 'cafe']],
    ['straße STRASSE', ['strasse', 'strasse']],
    ['ΟΔΟΣ οδός οδοσ', ['οδοσ', 'οδοσ', 'οδοσ']],
    ['ﬁre ４２ ½', ['fire', '42', '1', '2']],
    ["don't e-mail a@b.example", ['don', 't', 'e', 'mail', 'a', 'b', 'example']],
    ['打印机 printer が', ['打', '印', '机', 'printer', 'か']],
    ['ヿ ㎏', ['コ', 'ト']],
    ['Donau\u00ADdampf', ['donaudampf']],
    ['Acme™ 👍 — ', ['acme']],
    ['x'.repeat(70), ['x'.repeat(64)]],
    ['', []],
  ])('splits %j into %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  test('returns only letters and digits, and is idempotent for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const words = wordsOf(text);
        for (const word of words) expect(word).toMatch(/^[\p{L}\p{N}]+$/u);
        expect(wordsOf(words.join(' '))).toEqual(words);
        expect(toLine(text)).toBe(words.length === 0 ? '' : ` ${words.join(' ')} `);
      }),
    );
  });

  test('is fast for text that is full of combining marks', () => {
    const cpuMs = measureCpuMs(() =>
      expect(wordsOf(`a${'\u0301\u0323'.repeat(150_000)}b α\u0345\u0301`)).toEqual(['ab', 'αι']),
    );
    // Normalizing the marks into canonical order takes many times as long.
    expect(cpuMs).toBeLessThan(3_000);
  });

  test('returns the positions of words in the text', () => {
    expect(tokenize('¡Año nuevo!')).toEqual([
      { word: 'ano', start: 1, end: 4 },
      { word: 'nuevo', start: 5, end: 10 },
    ]);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tokenize, toLine } from './tokenize.ts';

const wordsOf = (text: string) => tokenize(text).map(({ word }) => word);

describe('the words of a text', () => {
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
  ])('of %j are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  test('are letters and digits, found again in their own line, whatever the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const words = wordsOf(text);
        for (const word of words) expect(word).toMatch(/^[\p{L}\p{N}]+$/u);
        expect(wordsOf(words.join(' '))).toEqual(words);
        expect(toLine(text)).toBe(words.length === 0 ? '' : ` ${words.join(' ')} `);
      }),
    );
  });

  test('are found as fast in a text that is full of marks', () => {
    const startedAt = performance.now();
    expect(wordsOf(`a${'\u0301\u0323'.repeat(150_000)}b α\u0345\u0301`)).toEqual(['ab', 'αι']);
    // In the order of its marks it takes many times as long.
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  test('are told with their places in the text', () => {
    expect(tokenize('¡Año nuevo!')).toEqual([
      { word: 'ano', start: 1, end: 4 },
      { word: 'nuevo', start: 5, end: 10 },
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import { parseSearch, searchPattern } from './search-terms.ts';

const exactly = (...words: string[]) => ({ words, isPrefix: false });
const prefix = (...words: string[]) => ({ words, isPrefix: true });

describe('parseSearch', () => {
  test.each([
    ['printer', [prefix('printer')]],
    ['Café printer', [exactly('cafe'), prefix('printer')]],
    ['"on fire" printer', [exactly('on', 'fire'), prefix('printer')]],
    ['printer "on fire"', [exactly('printer'), exactly('on', 'fire')]],
    ['“on fire”', [exactly('on', 'fire')]],
    ['ada@example.co', [prefix('ada', 'example', 'co')]],
    ['火事', [exactly('火', '事')]],
    ['printer a', [exactly('printer'), exactly('a')]],
    ['printer & ', [prefix('printer')]],
    ['"" printer', [prefix('printer')]],
  ])('parses %j into %j', (text, terms) => {
    expect(parseSearch(text)).toEqual({ terms });
  });

  test.each(['', '  ', '&', '""', '"open', 'x'.repeat(201), 'a b c d e f g h i j k'])(
    'rejects %j',
    (text) => {
      expect(parseSearch(text)).toEqual({ fault: expect.stringMatching(/^must /) });
    },
  );
});

describe('searchPattern', () => {
  const documented = new RegExp(searchPattern);

  test.each([
    'printer',
    '"on fire" prin',
    '“café„ ада',
    ' 火事 ',
    'a\nb',
    '½',
    'a"b"c',
    '"a',
    'a " b',
    '"',
    '""',
    '!?',
    ' ',
    'a b c d e f g h i j',
    '  a b "c d" e f g h i j ',
    'a b c d e f g h i j k',
    'a"b"c"d"e"f"g"h"i"j"k',
  ])('agrees with parseSearch: %j', (text) => {
    expect(documented.test(text)).toBe('terms' in parseSearch(text));
  });

  test('accepts symbols beyond ASCII, which parseSearch rejects', () => {
    expect([documented.test('€'), parseSearch('€')]).toEqual([
      true,
      { fault: 'must contain a letter or a digit' },
    ]);
  });
});

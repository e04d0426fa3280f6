import { describe, expect, test } from 'vitest';
import { parseSearch, searchPattern } from './search-terms.ts';

const exactly = (...words: string[]) => ({ words, isPrefix: false });
const begun = (...words: string[]) => ({ words, isPrefix: true });

describe('what is searched for', () => {
  test.each([
    ['printer', [begun('printer')]],
    ['Café printer', [exactly('cafe'), begun('printer')]],
    ['"on fire" printer', [exactly('on', 'fire'), begun('printer')]],
    ['printer "on fire"', [exactly('printer'), exactly('on', 'fire')]],
    ['“on fire”', [exactly('on', 'fire')]],
    ['ada@example.co', [begun('ada', 'example', 'co')]],
    ['火事', [exactly('火', '事')]],
    ['printer a', [exactly('printer'), exactly('a')]],
    ['printer & ', [begun('printer')]],
    ['"" printer', [begun('printer')]],
  ])('in %j is %j', (text, terms) => {
    expect(parseSearch(text)).toEqual({ terms });
  });

  test.each(['', '  ', '&', '""', '"open', 'x'.repeat(201), 'a b c d e f g h i j k'])(
    'is refused as %j',
    (text) => {
      expect(parseSearch(text)).toEqual({ fault: expect.stringMatching(/^must /) });
    },
  );
});

describe('the pattern of a search in the contract', () => {
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
  ])('says what is taken: %j', (text) => {
    expect(documented.test(text)).toBe('terms' in parseSearch(text));
  });

  test('cannot tell symbols beyond ASCII from letters', () => {
    expect([documented.test('€'), parseSearch('€')]).toEqual([
      true,
      { fault: 'must have a letter or a digit' },
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import { toSnippet } from './snippet.ts';

const printer = [{ words: ['printer'], isPrefix: false }];

describe('toSnippet', () => {
  test.each([
    ['The Printer.', printer, 'The «Printer».'],
    ['printers', printer, undefined],
    ['printers', [{ words: ['print'], isPrefix: true }], '«printers»'],
    ['on fire, on  a fire', [{ words: ['on', 'fire'], isPrefix: false }], '«on fire», on a fire'],
    ['the «printer» <b>', printer, 'the ‹«printer»› <b>'],
    ['打印机坏了', [{ words: ['印', '机'], isPrefix: false }], '打«印机»坏了'],
  ])('marks the terms in %j: %j', (text, terms, snippet) => {
    expect(toSnippet(text, terms)).toBe(snippet);
  });

  test('cuts a long text between words around the first match', () => {
    const snippet = toSnippet(`${'before '.repeat(50)}printer ${'after '.repeat(50)}`, printer) ?? '';
    expect(snippet).toMatch(/^…(before )+«printer»( after)+…$/);
    expect(snippet.length).toBeLessThan(170);
  });
});

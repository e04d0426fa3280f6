import { expect, it } from 'vitest';
import { findViolations } from './find-violations.ts';

const foundIn = (file: string, source: string) =>
  findViolations(file, source).map(({ line, found }) => ({ line, found }));

it('finds a comment that begins with a clause instead of a noun', () => {
  expect(foundIn('a.ts', 'const a = 1;\n\n/** What is left of it. */\nconst b = 2;')).toEqual([
    { line: 3, found: 'What' },
  ]);
});

it('allows a comment that asks a question', () => {
  expect(foundIn('a.ts', '// How did the row get here?')).toEqual([]);
});

it('reads a comment of several lines as one text', () => {
  expect(foundIn('a.ts', '/**\n * Returns the row; rows of\n * before stay.\n */')).toEqual([
    { line: 1, found: 'of before' },
  ]);
});

it('checks the titles of tests', () => {
  expect(
    foundIn('a.test.ts', "it('tells nobody', () => {});\ndescribe.each([1])('of $0 but for one', f);"),
  ).toEqual([
    { line: 1, found: 'nobody' },
    { line: 1, found: 'tells' },
    { line: 2, found: 'but for' },
  ]);
});

it('finds a description that begins with a clause instead of a noun', () => {
  const source = "z.string()\n  .describe('Who asks');\nconst a = { description: 'When it was added' };";
  expect(foundIn('a.ts', source)).toEqual([
    { line: 2, found: 'Who' },
    { line: 3, found: 'When' },
  ]);
});

it('checks strings of four words and more, which are error and help texts', () => {
  expect(foundIn('a.ts', "const a = 'told'; const b = 'this was told before';")).toEqual([
    { line: 1, found: 'told' },
  ]);
});

it('ignores code, URLs and directives', () => {
  const source =
    "// biome-ignore lint: told\nconst told = 'https://example.com/ // told';\n/* `told` is a name */";
  expect(foundIn('a.ts', source)).toEqual([]);
});

it('limits the first sentence of a comment', () => {
  const words = Array.from({ length: 25 }, () => 'word').join(' ');
  expect(foundIn('a.ts', `/** ${words}. Short. */`)).toHaveLength(1);
  expect(foundIn('a.ts', `/** Short. ${words}. */`)).toEqual([]);
});

it('checks the paragraphs of Markdown and skips its code', () => {
  expect(foundIn('a.md', '# Title\n\nOne line\ntold twice.\n\n```\ntold\n```\n\n`told` is code.')).toEqual([
    { line: 3, found: 'told' },
  ]);
});

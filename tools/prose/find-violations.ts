import { rules } from './rules.ts';
import { readMarkdown, readTypeScript, type Text } from './texts.ts';

export interface Violation {
  /** From 1. */
  line: number;
  /** The part of the text that breaks the rule. */
  found: string;
  instead: string;
}

/** The longest first sentence of a doc comment, in words. */
const longestFirstSentence = 24;

/** @param file its name decides how the text is read: Markdown, or TypeScript. */
export function findViolations(file: string, source: string): Violation[] {
  const texts = file.endsWith('.md') ? readMarkdown(source) : readTypeScript(source);
  return texts.flatMap((text) => [...brokenRules(text), ...longSentence(text)]);
}

function brokenRules({ kind, value, line }: Text): Violation[] {
  return rules.flatMap(({ pattern, instead, kinds }) => {
    const found = kinds === undefined || kinds.includes(kind) ? pattern.exec(value)?.[0] : undefined;
    return found === undefined ? [] : [{ line, found, instead }];
  });
}

function longSentence({ kind, value, line }: Text): Violation[] {
  if (kind !== 'comment') return [];
  const words = (/^.*?[.:;](?=\s|$)/.exec(value)?.[0] ?? value).split(/\s+/);
  if (words.length <= longestFirstSentence) return [];
  return [
    {
      line,
      found: `${words.slice(0, 5).join(' ')} …`,
      instead: `a first sentence of at most ${longestFirstSentence} words`,
    },
  ];
}

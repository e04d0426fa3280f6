import { z } from 'zod';
import type { WireSchema } from './document.ts';
import { XML_TEXT } from './wire-schema.ts';

const ANY = '[\\s\\S]*';

/** Patterns of formats, to combine them with other patterns. */
const formats: Readonly<Record<string, string>> = {
  uuid: z.regexes.uuid().source,
  date: z.regexes.date.source,
  'date-time': z.regexes.datetime({ offset: true }).source,
};

/**
 * Joins all patterns of a string into one that matches the whole string, because validators in Java match only whole
 * strings. Returns `undefined` if any string is valid.
 */
export function joinPatterns(schema: WireSchema): string | undefined {
  const body = toBody(schema);
  return body === undefined ? undefined : `^${body}$`;
}

/** Joins the patterns of alternative string formats into one. */
export function joinForms(forms: readonly WireSchema[]): string | undefined {
  const bodies = forms.map(toFormBody);
  return bodies.includes(undefined) ? undefined : `^(?:${bodies.join('|')})$`;
}

function toFormBody({ const: word, enum: words, format = '', ...schema }: WireSchema): string | undefined {
  const given = words ?? (word === undefined ? undefined : [word]);
  if (given) return given.map((each) => String(each).replace(/[^\w-]/g, '\\$&')).join('|');
  const { [format]: pattern } = formats;
  return toBody({ ...(pattern !== undefined && { pattern }), ...schema });
}

/** Returns the pattern of the whole string, after look-aheads for all further patterns. */
function toBody(schema: WireSchema): string | undefined {
  const patterns = [...new Set(collectPatterns(schema))];
  const [main = XML_TEXT, ...others] = patterns.toSorted((a, b) => rank(a) - rank(b));
  if (patterns.length === 0) return undefined;
  return others.map(toGuard).join('') + toWhole(main);
}

/** Ranks the pattern of XML text last, because it allows nearly everything. */
function rank(pattern: string): number {
  return pattern === XML_TEXT ? 1 : 0;
}

/** Creates a look-ahead by double negation, because generators of test data misread positive look-aheads. */
function toGuard(pattern: string): string {
  return `(?!(?!${toWhole(pattern)}$))`;
}

function toWhole(pattern: string): string {
  const isAnchored = pattern.startsWith('^') && pattern.endsWith('$');
  const inner = isAnchored ? pattern.slice(1, -1) : pattern;
  const body = inner.includes('|') ? `(?:${inner})` : inner;
  return isAnchored ? body : `${ANY}${body}${ANY}`;
}

function collectPatterns({ pattern, allOf = [] }: WireSchema): string[] {
  return [...(pattern === undefined ? [] : [pattern]), ...allOf.flatMap(collectPatterns)];
}

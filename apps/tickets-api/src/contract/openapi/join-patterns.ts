import { z } from 'zod';
import type { WireSchema } from './document.ts';
import { XML_TEXT } from './wire-schema.ts';

const ANY = '[\\s\\S]*';

/** Patterns of formats, which one pattern for several forms of a text has to spell out. */
const formats: Readonly<Record<string, string>> = {
  uuid: z.regexes.uuid().source,
  date: z.regexes.date.source,
  'date-time': z.regexes.datetime({ offset: true }).source,
};

/**
 * One pattern for all that a text has to match, over the whole text, because validators of Java match nothing less.
 * `undefined` for a text that may be any.
 */
export function joinPatterns(schema: WireSchema): string | undefined {
  const body = toBody(schema);
  return body === undefined ? undefined : `^${body}$`;
}

/** One pattern for texts of several forms. */
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

/** Pattern of the whole text, after the negative look-aheads. */
function toBody(schema: WireSchema): string | undefined {
  const patterns = [...new Set(collectPatterns(schema))];
  const [main = XML_TEXT, ...others] = patterns.toSorted((a, b) => rank(a) - rank(b));
  if (patterns.length === 0) return undefined;
  return others.map(toGuard).join('') + toWhole(main);
}

/** The pattern of what XML can carry allows nearly everything, so that it comes last. */
function rank(pattern: string): number {
  return pattern === XML_TEXT ? 1 : 0;
}

/** Negations throughout: generators of test data make text of other lookaheads. */
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

import { type SearchTerm, toNeedle } from './search-terms.ts';
import type { SearchableText } from './searchable-text.ts';

/** How many of the newest matches are put in order of relevance. */
export const RANKED_AT_MOST = 1_000;

const weights = { subject: 4, description: 1, replies: 1, notes: 1 } as const;

/**
 * How well a text answers a search; a whole number, the same on every machine. Each term counts wherever it stands, the
 * more often the more, but never more than twice as much as once; the subject counts four times.
 */
export function toScore(
  text: SearchableText,
  terms: readonly SearchTerm[],
  { isPublicOnly }: { isPublicOnly: boolean },
): number {
  let score = 0;
  for (const needle of terms.map(toNeedle)) {
    for (const [field, weight] of Object.entries(weights) as [keyof SearchableText, number][]) {
      if (isPublicOnly && field === 'notes') continue;
      const count = countIn(text[field], needle);
      score += (weight * 2 * count) / (count + 1);
    }
  }
  return Math.round(score * 1_000);
}

/** Words that follow each other share the space between them. */
function countIn(lines: string, needle: string): number {
  let count = 0;
  for (let at = lines.indexOf(needle); at !== -1; at = lines.indexOf(needle, at + 1)) count += 1;
  return count;
}

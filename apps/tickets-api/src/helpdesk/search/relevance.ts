import { type SearchTerm, toSearchString } from './search-terms.ts';
import type { SearchableText } from './searchable-text.ts';

/** Maximum number of matches, the newest, that are sorted by relevance. */
export const MAX_RANKED = 1_000;

const weights = { subject: 4, description: 1, replies: 1, notes: 1 } as const;

/**
 * Scores how well a text matches a search, as a whole number that is the same on every machine. Each occurrence of a
 * term adds to the score, at most twice the score of the first. The subject has four times the weight.
 */
export function toScore(
  text: SearchableText,
  terms: readonly SearchTerm[],
  { isPublicOnly }: { isPublicOnly: boolean },
): number {
  let score = 0;
  for (const needle of terms.map(toSearchString)) {
    for (const [field, weight] of Object.entries(weights) as [keyof SearchableText, number][]) {
      if (isPublicOnly && field === 'notes') continue;
      const count = countOccurrences(text[field], needle);
      score += (weight * 2 * count) / (count + 1);
    }
  }
  return Math.round(score * 1_000);
}

/** Counts occurrences. Consecutive words share the space between them. */
function countOccurrences(lines: string, needle: string): number {
  let count = 0;
  for (let at = lines.indexOf(needle); at !== -1; at = lines.indexOf(needle, at + 1)) count += 1;
  return count;
}

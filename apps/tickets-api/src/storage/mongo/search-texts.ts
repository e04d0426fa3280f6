import { type Model, type QueryFilter, trusted } from 'mongoose';
import { type SearchTerm, toSearchString } from '../../helpdesk/search/search-terms.ts';
import type { TextDocument } from './text-model.ts';

/** Selects tickets that have every word of a search, in any text: up to `limit` ids, unordered. */
export function selectByWords(texts: Model<TextDocument>, terms: readonly SearchTerm[], limit: number) {
  return texts
    .find({ $and: terms.flatMap(toWordConditions) }, { _id: 1 })
    .limit(limit)
    .hint('by_word')
    .lean();
}

/** Selects the given tickets that have every term in the text visible to the viewer. */
export function selectMatches(
  texts: Model<TextDocument>,
  ids: readonly string[],
  terms: readonly SearchTerm[],
  { isPublicOnly }: { isPublicOnly: boolean },
) {
  const fields = ['subject', 'description', 'replies', ...(isPublicOnly ? [] : ['notes'])];
  const conditions = terms.map((term) => ({
    $or: fields.map((field) => ({ [field]: trusted({ $regex: toSearchString(term) }) })),
  }));
  return texts.find({ $and: [{ _id: trusted({ $in: ids }) }, ...conditions] }, { _id: 1 }).lean();
}

/** Converts a term. Words have only letters and digits, so they need no escaping in patterns. */
function toWordConditions({ words, isPrefix }: SearchTerm): QueryFilter<TextDocument>[] {
  return words.map((word, i) => {
    const isLastPrefix = isPrefix && i === words.length - 1;
    return { words: isLastPrefix ? trusted({ $regex: `^${word}` }) : { $eq: word } };
  });
}

import { type Model, type QueryFilter, trusted } from 'mongoose';
import { type SearchTerm, toSearchString } from '../../helpdesk/search/search-terms.ts';
import type { TextDocument } from './text-model.ts';

/** The ids of the tickets that have every word of a search, whoever may see it: up to `limit`, in no order. */
export function selectByWords(texts: Model<TextDocument>, terms: readonly SearchTerm[], limit: number) {
  return texts
    .find({ $and: terms.flatMap(toWordConditions) }, { _id: 1 })
    .limit(limit)
    .hint('by_word')
    .lean();
}

/** Of these tickets, those that have every term in what the searcher sees. */
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

/** Words have nothing but letters and digits, so none of them is taken for the syntax of a pattern. */
function toWordConditions({ words, isPrefix }: SearchTerm): QueryFilter<TextDocument>[] {
  return words.map((word, i) => {
    const canGoOn = isPrefix && i === words.length - 1;
    return { words: canGoOn ? trusted({ $regex: `^${word}` }) : { $eq: word } };
  });
}

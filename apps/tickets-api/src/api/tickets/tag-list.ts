import { z } from 'zod';
import type { TagCount, TagQuery, TagSort } from '../../helpdesk/tags/tag-store.ts';
import { createListGrammar, type ListRequest } from '../lists/list-grammar.ts';
import { createListResponder } from '../lists/list-responder.ts';
import { sortParameter, toSort } from '../lists/sort.ts';

/** A tag with its number of tickets, in every format. */
export const tagCountSchema = z.strictObject({
  name: z.string().describe('The tag'),
  count: z.int().min(1).describe('How many tickets have it that are not deleted'),
});

/** The query string of `GET /tags`. */
export const tagListGrammar = createListGrammar({
  owner: { list: 'tags', operation: 'listTags' },
  position: tagCountSchema,
  sort: sortParameter(
    ['count', 'name'],
    '-count',
    'ties of `-count` are broken by name, and `count` is its exact reverse',
  ),
  fields: Object.keys(tagCountSchema.shape),
  hasTotal: true,
  filterParameters: {
    q: z.string().min(1, 'must not be empty').max(64).optional().describe('What the tag begins with'),
  },
});

/** Sends pages of tags. */
export const tagResponder = createListResponder<TagCount>({
  schema: tagCountSchema,
  singular: 'tag',
  plural: 'tags',
  identity: 'name',
});

/** Converts a list request to a query of the store. */
export function toTagQuery({
  limit,
  sort,
  after,
  own,
}: ListRequest<TagCount> & { own: { q?: string | undefined } }): TagQuery {
  return { limit, sort: toSort(sort as TagSort['field']), after, prefix: own.q };
}

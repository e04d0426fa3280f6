import { z } from 'zod';
import { withEtag } from '../formats/with-etag.ts';
import { oneOf } from '../http/query-parameters.ts';
import { listOf } from '../lists/filter-grammar.ts';
import { createListGrammar, type ListRequest } from '../lists/list-grammar.ts';
import { personSchema, type Role, roles } from './person.ts';
import type { PersonQuery } from './person-store.ts';

/** The query string of `GET /people`. */
export const peopleGrammar = createListGrammar({
  owner: { list: 'people', operation: 'listPeople' },
  position: z.string().min(1),
  fields: Object.keys(withEtag(personSchema).shape),
  hasTotal: true,
  filterParameters: {
    q: z
      .string()
      .trim()
      .min(1, 'must not be blank')
      .max(254)
      .meta({ pattern: '\\S' })
      .transform((text) => text.toLowerCase())
      .optional()
      .describe('What an e-mail address, the name or a later word of the name begins with'),
    role: listOf(oneOf(roles)).optional().describe('Roles at the latest sign-in, separated by commas'),
  },
});

/** The page that a request asks for. */
export function toPersonQuery({
  limit,
  after,
  own,
}: ListRequest<string> & {
  own: { q?: string | undefined; role?: readonly Role[] | undefined };
}): PersonQuery {
  return { limit, after, prefix: own.q, roles: own.role };
}
